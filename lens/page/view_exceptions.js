// SPDX-License-Identifier: Apache-2.0
// Exceptions: which are thrown, where, how often, and who catches them?

import { el, replace } from "./dom.js";
import { clock, count, packageOf, rate, shortClass, shortMethod } from "./format.js";
import { newest } from "./api.js";
import { narrowed, now, state, threadName } from "./state.js";
import { Details, Frame, heading } from "./frame.js";
import { FlameGraph } from "./flame.js";
import { matching, qualified, Table } from "./table.js";
import { sourceDialog } from "./dialogs.js";
import { go } from "./route.js";

export const exceptions = {
  id: "exceptions", title: "Exceptions", key: "7",
  verbs: ["exceptions"],
  question: "What is thrown, where, and how often?",
  idle: "Records each exception where it is thrown: class, place, message, stack and who catches it. More than the limit a second are only counted.",
  options: [
    { name: "class", label: "Classes", initial: "*", placeholder: "*", hint: "Patterns separated by commas: com.acme.*, *Timeout*" },
    { name: "locals", label: "Locals of the throwing frame", initial: "0", check: true },
    { name: "limit", label: "At most a second", initial: "1000", choices: [["100", "100"], ["1000", "1,000"], ["10000", "10,000"]] },
  ],
  start: (o) => [["exceptions", { class: o.class || "*", locals: o.locals, limit: o.limit }]],
  exports: ["collapsed", "speedscope", "html", "csv", "json"],
  create: () => new Exceptions(),
};

const MESSAGES = 10;

/** How many of the throws some method of the stack catches. */
const caughtWords = (r) => (r.caught === r.count ? "all" : r.caught ? count(r.caught) : "none");

class Exceptions {
  constructor() {
    this.ask = newest();
    this.askOne = newest();
    this.words = "";
    this.rows = [];
    this.table = this.#table();
    this.flame = new FlameGraph({ label: "Stacks of the exception" });
    this.head = el("div", {}, heading("Stacks", "choose an exception above"));
    this.details = new Details("Choose an exception: its messages, the newest throws and their locals stand here.");
    this.frame = new Frame({
      id: "exceptions", main: this.table.node, left: el("div", {}, this.head, this.flame.node), right: this.details.node,
      find: { placeholder: "Find a class, place or message", onFind: (words) => { this.words = words; this.#show(); this.flame.find(words); } },
    });
  }

  destroy() {
    this.flame.destroy();
  }

  about() {
    return { data: "exceptions" };
  }

  #seconds() {
    const [from, to] = state.brush ?? [0, now()];
    return Math.max(0.001, (to - from) / 1000);
  }

  #table() {
    return new Table({
      label: "Exceptions", sort: "count", rowKey: (r) => r.key, onSelect: (r) => this.#select(r), onOpen: (r) => this.#source(r), empty: "Nothing was thrown in this range.",
      columns: [
        { key: "class", title: "exception", wide: true, mono: true, value: (r) => r.class, cell: (r) => qualified(shortClass(r.class), packageOf(r.class)) },
        { key: "place", title: "thrown in", mono: true, wide: true, value: (r) => r.place, cell: (r) => el("span", { class: "clip", title: r.place }, `${shortMethod(r.place)}${r.line > 0 ? `:${r.line}` : ""}`) },
        { key: "count", title: "thrown", num: true, value: (r) => r.count, cell: (r) => count(r.count), bar: (r) => r.count / Math.max(1, ...this.rows.map((x) => x.count)) },
        { key: "rate", title: "a second", num: true, value: (r) => r.count, cell: (r) => rate(r.count / this.#seconds()) },
        { key: "caught", title: "caught", num: true, value: (r) => r.caught / r.count, cell: caughtWords },
        { key: "last", title: "last message", wide: true, value: (r) => r.last_message ?? "", cell: (r) => el("span", { class: "clip", title: r.last_message }, r.last_message || "none") },
      ],
    });
  }

  async refresh() {
    return this.frame.ask(async () => {
      const answer = await this.ask("exceptions", narrowed());
      if (!answer) return null;
      this.rows = answer.rows;
      this.frame.how(answer.how);
      this.#show();
      const chosen = this.rows.find((r) => r.key === this.table.selected) ?? this.rows.reduce((a, b) => (a && a.count >= b.count ? a : b), null);
      if (chosen) this.#select(chosen);
      return this.rows.length > 0;
    });
  }

  #show() {
    const rows = matching(this.rows, this.words, (r) => [r.class, r.place, r.last_message ?? ""]);
    this.table.set(rows);
    this.frame.found(this.words.trim() ? `${count(rows.length)} of ${count(this.rows.length)}` : "");
  }

  async #select(row) {
    this.table.select(row.key);
    const one = await this.askOne("exception", narrowed({ key: row.key })).catch(() => null);
    if (!one) return;
    replace(this.head, heading(`Stacks of ${shortClass(row.class)}`, "thrown in the frame at the bottom"));
    this.flame.set(one.stacks);
    this.details.show(shortClass(row.class), packageOf(row.class), [["thrown", `${count(row.count)} times, ${rate(row.count / this.#seconds())}`],
      ["in", `${shortMethod(row.place)}${row.line > 0 ? `, line ${row.line}` : ""}`], ["caught", caughtWords(row)]], [
      ["Source", () => this.#source(row)], ["Watch calls", () => go("watch", { method: row.place })],
    ], [el("h3", {}, "Messages"), el("table", { "aria-label": "Messages" }, el("tbody", {}, one.messages.slice(0, MESSAGES).map((m) => el("tr", {}, el("td", { class: "wide" }, m.text || "without a message"), el("td", { class: "n" }, count(m.count)))))),
      el("h3", {}, "Newest"), el("ol", { class: "recent" }, one.recent.slice(0, MESSAGES).map((r) => this.#recent(r)))]);
  }

  #recent(r) {
    return el("li", {}, el("span", { class: "soft" }, clock(state.session.started, r.t, true)), ` ${typeof r.thread === "string" ? r.thread : threadName(r.thread)}: ${r.message || "without a message"}`,
      r.locals?.length > 0 && el("dl", { class: "locals m" }, r.locals.map((l) => [el("dt", {}, l.name), el("dd", {}, l.value)])));
  }

  #source(row) {
    sourceDialog(row.place.slice(0, row.place.lastIndexOf(".")), row.line);
  }
}
