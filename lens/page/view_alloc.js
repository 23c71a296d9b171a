// SPDX-License-Identifier: Apache-2.0
// Allocation: who makes all these objects, and what of it still lives?

import { button, el, replace, segmented, toast } from "./dom.js";
import { bytes, clock, count, packageOf, share, shortClass } from "./format.js";
import { newest, post } from "./api.js";
import { live, narrowed, set, state } from "./state.js";
import { brushWords, Details, Frame, heading } from "./frame.js";
import { FlameGraph } from "./flame.js";
import { Flames } from "./view_flames.js";
import { matching, qualified, Table } from "./table.js";
import { attempt } from "./orders.js";
import { go } from "./route.js";

export const alloc = {
  id: "alloc", title: "Allocation", key: "3",
  verbs: ["alloc"],
  question: "Who makes all these objects?",
  idle: "Takes a stack each time so many bytes have been allocated, and follows the objects sampled to see which still live.",
  options: [
    { name: "interval", label: "A sample each", initial: "524288", choices: [["8192", "8 kB"], ["65536", "64 kB"], ["524288", "512 kB"], ["0", "object (exact, slow)"]], hint: "Bytes are then estimated from the samples." },
    { name: "live", label: "Follow what lives", initial: "1", check: true },
  ],
  start: (o) => [["alloc", { interval: o.interval, live: o.live }]],
  exports: ["collapsed", "pprof", "speedscope", "html", "csv", "json"],
  create: () => new Allocation(),
};

const FORMS = [["classes", "Classes"], ["sites", "Sites"], ["live", "Sites of what lives"]];

/** "Since mark": a switch that several views have. */
export function sinceMark(onChange) {
  const box = el("input", { type: "checkbox", checked: false });
  const label = el("label", { class: "check" }, box, "since mark");
  box.addEventListener("change", async () => {
    if (box.checked && state.mark === null) await markNow();
    onChange(box.checked && state.mark !== null);
  });
  return label;
}

export async function markNow() {
  const answer = await attempt(() => post("mark"));
  if (!answer) return;
  set({ mark: answer.t });
  toast(`Marked at ${clock(state.session.started, answer.t)}. “Since mark” counts from here.`);
}

class Allocation {
  constructor() {
    this.form = "classes";
    this.since = false;
    this.ask = newest();
    this.askSites = newest();
    this.words = "";
    this.rows = [];
    this.table = this.#table();
    this.flames = new Flames({ label: "Flame graph of allocation sites", source: () => ({ data: this.form === "live" ? "live" : "alloc", extra: { since: this.since ? "mark" : undefined } }), hooks: { watch: (name) => go("watch", { method: name }) } });
    this.sites = new FlameGraph({ label: "Sites that allocate the class", onSelect: () => {} });
    this.siteHead = el("div", {}, heading("Sites of a class", "choose one above"));
    this.details = new Details("Choose a class: how much of it was allocated, and what still lives.");
    this.body = el("div");
    this.legend = el("span");
    this.segments = segmented("Form", FORMS, this.form, (form) => { this.form = form; this.#layout(); this.refresh(); });
    this.frame = new Frame({
      id: "alloc", legend: this.legend, main: this.body, left: el("div"), right: el("div"),
      tools: [this.segments, sinceMark((on) => { this.since = on; this.refresh(); }), button("Mark now", markNow, { key: "M" })],
      find: { placeholder: "Find a class or method", onFind: (words) => this.#find(words), onEnter: () => this.flames.findFirst() },
    });
    this.#layout();
  }

  destroy() {
    this.flames.destroy();
    this.sites.destroy();
  }

  about() {
    return { data: this.form === "live" ? "live" : "alloc" };
  }

  #table() {
    const most = () => Math.max(1, ...this.rows.map((r) => r.bytes));
    return new Table({
      label: "Classes allocated", sort: "bytes", rowKey: (r) => r.class, onSelect: (r) => this.#select(r), onOpen: (r) => this.#select(r),
      empty: () => (live() ? "Nothing was sampled in this range yet." : "Nothing was recorded in this range."),
      columns: [
        { key: "class", title: "class", wide: true, mono: true, value: (r) => r.class, cell: (r) => qualified(shortClass(r.class), packageOf(r.class)) },
        { key: "count", title: "objects", num: true, value: (r) => r.count, cell: (r) => count(r.count) },
        { key: "bytes", title: "bytes", num: true, value: (r) => r.bytes, cell: (r) => bytes(r.bytes), bar: (r) => r.bytes / most() },
        { key: "share", title: "share", num: true, value: (r) => r.bytes, cell: (r) => share(r.bytes / (this.sum || 1)) },
        { key: "live", title: "still living", hint: "bytes of the objects followed that were not collected yet", num: true, value: (r) => r.live_bytes, cell: (r) => (r.live_bytes === null ? "not followed" : bytes(r.live_bytes)) },
      ],
    });
  }

  #layout() {
    const classes = this.form === "classes";
    replace(this.body, classes ? this.table.node : this.flames.body);
    replace(this.legend, classes ? null : this.flames.legend);
    replace(this.frame.left, classes ? [this.siteHead, this.sites.node] : this.flames.left);
    replace(this.frame.right, classes ? this.details.node : this.flames.details.node);
  }

  #find(words) {
    this.words = words;
    this.#show();
    this.flames.find(words);
  }

  #show() {
    const rows = matching(this.rows, this.words, (r) => [r.class]);
    this.table.set(rows);
    if (this.form === "classes") this.frame.found(this.words.trim() ? `${count(rows.length)} of ${count(this.rows.length)} classes` : "");
  }

  async refresh() {
    if (this.form !== "classes") {
      const graph = await this.flames.refresh(this.frame);
      return graph === null ? null : graph.total?.[0] > 0;
    }
    return this.frame.ask(async () => {
      const answer = await this.ask("alloc", narrowed({ since: this.since ? "mark" : undefined }));
      if (!answer) return null;
      this.rows = answer.rows;
      this.sum = this.rows.reduce((sum, r) => sum + r.bytes, 0);
      this.frame.how(answer.how);
      this.#show();
      const chosen = this.rows.find((r) => r.class === this.table.selected) ?? this.rows[0];
      if (chosen) this.#select(this.table.selected ? chosen : this.rows.reduce((a, b) => (a.bytes >= b.bytes ? a : b)));
      return this.rows.length > 0;
    });
  }

  async #select(row) {
    this.table.select(row.class);
    this.details.show(shortClass(row.class), packageOf(row.class), [
      ["allocated", `${bytes(row.bytes)}, ${share(row.bytes / (this.sum || 1))}`], ["objects", count(row.count)],
      ["mean size", row.count ? bytes(row.bytes / row.count) : ""],
      ["still living", row.live_bytes === null ? "not followed: start with “Follow what lives”" : `${bytes(row.live_bytes)} in ${count(row.live_count)} objects, ${share(row.live_bytes / (row.bytes || 1))}`],
    ], [["Instances in the heap", () => go("heap", { class: row.class })]]);
    replace(this.siteHead, heading(`Sites that allocate ${shortClass(row.class)}`, brushWords()));
    const sites = await this.askSites("alloc_sites", narrowed({ class: row.class, since: this.since ? "mark" : undefined })).catch(() => null);
    if (sites) this.sites.set(sites);
  }
}
