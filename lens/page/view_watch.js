// SPDX-License-Identifier: Apache-2.0
// Watch and log points: with what is this method called, and what happens at this line? Nothing of the program changes.

import { button, el, field, replace, segmented } from "./dom.js";
import { clock, count, duration } from "./format.js";
import { get } from "./api.js";
import { live, runningOrders, set, state, threadName } from "./state.js";
import { Details, Frame, frameList, framesOf, heading } from "./frame.js";
import { matching, Table } from "./table.js";
import { attempt, order, stopOrder } from "./orders.js";
import { Completion } from "./completion.js";
import { go } from "./route.js";

export const watch = {
  id: "watch", title: "Watch", key: "8",
  verbs: ["watch"],
  question: "With what is it called, what does it answer?",
  always: true,
  options: [],
  start: null,
  exports: ["csv", "json"],
  create: () => new Watch(),
};

const KEEP = 2000;
const nameOf = (h) => h.thread_name || threadName(h.thread);
const KINDS = { call: "called", return: "returned", throw: "threw", log: "log", note: "note" };

class Watch {
  constructor() {
    this.points = [];
    this.hits = [];
    this.waiting = [];
    this.paused = false;
    this.words = "";
    this.kind = "calls";
    this.table = this.#points();
    this.stream = this.#stream();
    this.details = new Details("Choose a hit: its values and its stack stand here.");
    this.form = this.#form();
    this.pause = button("Pause the stream", () => this.#togglePause());
    this.streamHead = el("div", { class: "streamhead" });
    this.frame = new Frame({
      id: "watch", main: el("div", { class: "watchmain" }, this.form, this.table.node), left: el("div", {}, this.streamHead, this.stream.node), right: this.details.node,
      tools: [this.pause, button("Clear", () => { this.hits = []; this.#show(); })],
      find: { placeholder: "Find in the hits", onFind: (words) => { this.words = words; this.#show(); } },
    });
    this.frame.how("Exact: each call is seen by a breakpoint at the method's entry. Beyond the limit a second calls are counted but not shown; no class is changed.");
    this.#head();
  }

  destroy() {}

  open({ method, line, class: name }) {
    this.target.value = method ?? name ?? "";
    if (line) { this.kinds.select("log"); this.#setKind("log"); this.line.value = line; }
    this.target.focus();
  }

  // The form

  #form() {
    this.target = el("input", { type: "text", placeholder: "package.Class.method", spellcheck: "false", autocomplete: "off", required: true, "aria-label": "Class and method" });
    this.completion = new Completion(this.target);
    this.line = el("input", { type: "number", min: 1, placeholder: "line" });
    this.expr = el("input", { type: "text", placeholder: "order {order.id} has {order.items.size} items", spellcheck: "false" });
    this.when = el("input", { type: "text", placeholder: "order.items.size > 10", spellcheck: "false" });
    this.limit = el("input", { type: "number", min: 1, max: 10000, value: 20 });
    this.max = el("input", { type: "number", min: 0, value: 0 });
    this.kinds = segmented("What to watch", [["calls", "Calls"], ["log", "Log point"]], this.kind, (kind) => this.#setKind(kind));
    this.lineField = field("Line", this.line, "of the class");
    this.exprField = field("Prints", this.expr, "{} around expressions");
    const form = el("form", { class: "watchform", "aria-label": "New watch or log point" }, this.kinds,
      el("div", { class: "fields" }, el("div", { class: "grow" }, field("Class and method", this.completion.node, "type a part, names are completed")), this.lineField, this.exprField,
        el("div", { class: "grow" }, field("Only when", this.when, "empty: always")), field("A second", this.limit, "at most"), field("In all", this.max, "0: no end"),
        el("button", { type: "submit", class: "btn primary" }, "Add")));
    form.addEventListener("submit", (e) => { e.preventDefault(); this.#add(); });
    this.lineField.hidden = true;
    this.exprField.hidden = true;
    return form;
  }

  #setKind(kind) {
    this.kind = kind;
    this.lineField.hidden = kind !== "log";
    this.exprField.hidden = kind !== "log";
  }

  #args() {
    const text = this.target.value.trim();
    const dot = text.lastIndexOf(".");
    const args = { class: dot < 0 ? text : text.slice(0, dot), method: dot < 0 ? "*" : text.slice(dot + 1), limit: this.limit.value || "20", max: this.max.value || "0", values: "args" };
    if (this.when.value.trim()) args.when = this.when.value.trim();
    if (this.kind === "log") {
      if (this.line.value) args.line = this.line.value;
      if (this.expr.value.trim()) args.expr = this.expr.value.trim();
    }
    return args;
  }

  async #add() {
    if (!live()) return;
    await attempt(() => order("watch", this.#args()));
    this.refresh();
  }

  // Points

  #points() {
    return new Table({
      label: "Watch and log points", rowKey: (p) => p.order, empty: "No point is set. Name a method above, or choose “Watch calls” beside a method in another view.",
      onSelect: (p) => { this.point = this.point === p.order ? null : p.order; this.#show(); },
      columns: [
        { key: "text", title: "point", wide: true, mono: true, value: (p) => p.text, cell: (p) => p.text },
        { key: "state", title: "state", value: (p) => p.state, cell: (p) => el("span", { class: `st ${p.state}` }, p.state) },
        { key: "hits", title: "hits", num: true, value: (p) => p.hits, cell: (p) => count(p.hits) },
        { key: "suppressed", title: "only counted", hint: "beyond the limit a second", num: true, value: (p) => p.suppressed, cell: (p) => count(p.suppressed) },
        { key: "do", title: "", cell: (p) => this.#pointActions(p) },
      ],
    });
  }

  #pointActions(p) {
    const running = runningOrders(["watch"]).some((o) => o.id === p.order);
    if (running) return button("Remove", () => attempt(() => stopOrder(p.order)).then(() => this.refresh()), { kind: "quiet small", label: `Remove ${p.text}` });
    const old = (state.session?.orders ?? []).find((o) => o.id === p.order);
    return old && live() ? button("Set again", () => attempt(() => order("watch", old.args)).then(() => this.refresh()), { kind: "quiet small", label: `Set ${p.text} again` }) : "";
  }

  async refresh() {
    return this.frame.ask(async () => {
      const answer = await get("watch");
      this.points = answer.points;
      this.table.set(this.points);
      if (!this.paused) this.hits = answer.hits.slice(-KEEP);
      this.#show();
      return true;
    });
  }

  /** A hit as it comes from the front. */
  hit(h) {
    if (!this.points.some((p) => p.id === h.point)) this.#learn();
    if (this.paused) {
      this.waiting.push(h);
      if (this.waiting.length > KEEP) this.waiting.shift();
    } else {
      this.hits.push(h);
      if (this.hits.length > KEEP) this.hits.splice(0, this.hits.length - KEEP);
    }
    this.#soon();
  }

  /** A point's first hit says which id it has. */
  async #learn() {
    if (this.learns) return;
    this.learns = true;
    this.points = (await get("watch").catch(() => this)).points;
    this.learns = false;
    this.#show();
  }

  #soon() {
    if (this.asked) return;
    this.asked = true;
    setTimeout(() => { this.asked = false; this.#show(); }, 150);
  }

  #togglePause() {
    this.paused = !this.paused;
    if (!this.paused) {
      this.hits = [...this.hits, ...this.waiting].slice(-KEEP);
      this.waiting = [];
    }
    this.pause.textContent = this.paused ? "Go on" : "Pause the stream";
    this.#show();
  }

  // Hits

  #stream() {
    return new Table({
      label: "Hits", rowKey: (h) => h.key, empty: "No hit yet. Points show here what they see, the newest on top.", onSelect: (h) => this.#choose(h),
      columns: [
        { key: "t", title: "time", cell: (h) => el("span", { class: "m" }, clock(state.session.started, h.t, true)) },
        { key: "thread", title: "thread", mono: true, cell: (h) => el("span", { class: "clip narrow" }, nameOf(h)) },
        { key: "kind", title: "what", cell: (h) => KINDS[h.kind] ?? h.kind },
        { key: "values", title: "values", wide: true, mono: true, cell: (h) => el("span", { class: "clip" }, h.values.map((v) => (v.name ? `${v.name} = ${v.value}` : v.value)).join(", ")) },
        { key: "ns", title: "took", num: true, cell: (h) => (h.ns ? duration(h.ns) : "") },
      ],
    });
  }

  #show() {
    this.hits.forEach((h) => { h.key ??= `${h.point}/${h.t}/${h.thread}/${h.kind}`; });
    const point = this.points.find((p) => p.order === this.point);
    let rows = point ? this.hits.filter((h) => h.point === point.id) : this.hits;
    rows = matching(rows, this.words, (h) => h.values.map((v) => `${v.name} = ${v.value}`));
    this.stream.set([...rows].reverse().sort((x, y) => y.t - x.t)); // they come processor by processor
    this.frame.found(this.words.trim() ? `${count(rows.length)} of ${count(this.hits.length)} hits` : "");
    this.#head();
  }

  #head() {
    const point = this.points.find((p) => p.order === this.point);
    const note = [point ? `of ${point.text}` : "of all points", this.paused ? `paused, ${count(this.waiting.length)} waiting` : ""].filter(Boolean).join(", ");
    replace(this.streamHead, heading("Hits", note));
  }

  async #choose(h) {
    const point = this.points.find((p) => p.id === h.point);
    const rows = h.values.map((v) => [v.name || "text", el("span", { class: "m wrap" }, v.value)]);
    const show = (stack) => this.details.show(KINDS[h.kind] ?? h.kind, point?.text, [["time", clock(state.session.started, h.t, true)], ["thread", nameOf(h)], h.ns ? ["took", duration(h.ns)] : null, ...rows], [
      ["CPU of this thread", () => { set({ threads: [h.thread] }); go("cpu"); }],
    ], [el("h3", {}, "Stack"), stack]);
    show(null);
    show(frameList(await framesOf(h.stack).catch(() => []), (f) => go("cpu", { method: f.method })));
  }
}
