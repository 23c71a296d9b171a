// SPDX-License-Identifier: Apache-2.0
// Locks: who waits for whom, how long and where?

import { el, replace, segmented, svg } from "./dom.js";
import { clock, count, duration, packageOf, share, shortClass, shortMethod } from "./format.js";
import { newest } from "./api.js";
import { narrowed, now, state, threadName } from "./state.js";
import { brushWords, Details, Frame, frameList, framesOf, heading } from "./frame.js";
import { Flames } from "./view_flames.js";
import { Lanes } from "./lanes.js";
import { matching, qualified, Table } from "./table.js";
import { go } from "./route.js";

const KINDS = {
  enter: { colour: "--s-block", pattern: "hatch", text: "waits to enter" },
  wait: { colour: "--s-wait", pattern: "dots", text: "waits for a notification" },
  park: { colour: "--s-park", pattern: "lines", text: "is parked" },
  blocked: { colour: "--rec", pattern: "solid", text: "still waits" },
};

export const locks = {
  id: "locks", title: "Locks", key: "4",
  verbs: ["locks"],
  question: "Who waits for whom?",
  idle: "Records each time a thread has to wait: for a monitor, a notification or a parked lock, with both stacks. Costs something only when there is a wait.",
  options: [{ name: "parks", label: "Parked threads too (java.util.concurrent)", initial: "1", check: true }],
  start: (o) => [["locks", { parks: o.parks }]],
  exports: ["collapsed", "pprof", "speedscope", "html", "csv", "json"],
  create: () => new Locks(),
};

const FORMS = [["lanes", "Who waits when"], ["sites", "Where they wait"]];

class Locks {
  constructor() {
    this.form = "lanes";
    this.ask = newest();
    this.words = "";
    this.rows = [];
    this.waits = [];
    this.lanes = new Lanes({
      label: "Threads that waited", kinds: KINDS, onPick: (row, t, span) => this.#pickWait(span?.wait),
      describe: (span) => el("div", {}, `${shortClass(span.wait.class)}, held by ${ownerName(span.wait)}`),
    });
    this.flames = new Flames({ label: "Flame graph of waiting", source: () => ({ data: "locks" }) });
    this.table = this.#table();
    this.ring = el("div", { class: "deadlocks" });
    this.details = new Details("Choose a wait in the lanes, or a lock in the table: both stacks stand here.");
    this.body = el("div");
    this.legend = el("span");
    this.segments = segmented("Form", FORMS, this.form, (form) => { this.form = form; this.#layout(); this.refresh(); });
    this.frame = new Frame({
      id: "locks", legend: this.legend, main: el("div", {}, this.ring, this.body), left: el("div"), right: el("div"), tools: [this.segments],
      find: { placeholder: "Find a lock's class", onFind: (words) => { this.words = words; this.#show(); this.flames.find(words); } },
    });
    this.#layout();
  }

  destroy() {
    this.lanes.destroy();
    this.flames.destroy();
  }

  about() {
    return { data: "locks" };
  }

  #layout() {
    const lanes = this.form === "lanes";
    replace(this.body, lanes ? this.lanes.node : this.flames.body);
    replace(this.legend, lanes ? this.lanes.legend : this.flames.legend);
    replace(this.frame.left, lanes ? [heading("Locks by time waited", brushWords()), this.table.node] : this.flames.left);
    replace(this.frame.right, lanes ? this.details.node : this.flames.details.node);
  }

  #table() {
    const most = () => Math.max(1, ...this.rows.map((r) => r.total_ns));
    return new Table({
      label: "Locks", sort: "total", rowKey: (r) => r.monitor, onSelect: (r) => this.#pickLock(r), empty: "No thread had to wait in this range.",
      columns: [
        { key: "class", title: "lock", wide: true, mono: true, value: (r) => r.class, cell: (r) => qualified(`${shortClass(r.class)} #${r.monitor}`, packageOf(r.class)) },
        { key: "waits", title: "waits", num: true, value: (r) => r.waits, cell: (r) => count(r.waits) },
        { key: "total", title: "waited", num: true, value: (r) => r.total_ns, cell: (r) => duration(r.total_ns), bar: (r) => r.total_ns / most() },
        { key: "max", title: "longest", num: true, value: (r) => r.max_ns, cell: (r) => duration(r.max_ns) },
        { key: "threads", title: "threads", num: true, value: (r) => r.threads, cell: (r) => count(r.threads) },
      ],
    });
  }

  async refresh() {
    if (this.form === "sites") {
      const graph = await this.flames.refresh(this.frame);
      return graph === null ? null : graph.total?.[0] > 0;
    }
    return this.frame.ask(async () => {
      const answer = await this.ask("locks", narrowed());
      if (!answer) return null;
      this.rows = answer.rows;
      this.waits = answer.waits;
      this.frame.how(answer.how);
      this.#show();
      this.#drawDeadlocks(answer.deadlocks ?? []);
      if (!this.picked && this.rows.length) this.#pickLock(this.rows.reduce((a, b) => (a.total_ns >= b.total_ns ? a : b)));
      return answer.rows.length > 0 || answer.deadlocks?.length > 0;
    });
  }

  #show() {
    this.table.set(matching(this.rows, this.words, (r) => [r.class]));
    const waits = matching(this.waits, this.words, (w) => [w.class]);
    const rows = new Map();
    for (const w of waits) {
      if (!rows.has(w.thread)) rows.set(w.thread, { id: w.thread, name: w.thread_name || threadName(w.thread), total: 0, contended: 0, spans: [] });
      const row = rows.get(w.thread);
      row.total += w.ns;
      if (w.kind === "enter") row.contended += w.ns;
      row.spans.push({ from: w.t - w.ns / 1e6, to: w.t, kind: w.kind, wait: w });
    }
    const lanes = [...rows.values()].sort((a, b) => b.contended - a.contended || b.total - a.total);
    for (const row of lanes) {
      row.spans.sort((a, b) => a.from - b.from);
      row.note = duration(row.total);
    }
    this.lanes.set(lanes, state.brush ?? [0, Math.max(1000, now())]);
  }

  async #pickWait(w) {
    if (!w) return this.details.clear();
    const rows = [["waits for", `${shortClass(w.class)} #${w.monitor}`], ["how long", duration(w.ns)], ["until", clock(state.session.started, w.t, true)], ["held by", ownerName(w)]];
    const show = (mine, owners) => this.details.show(w.thread_name || threadName(w.thread), KINDS[w.kind]?.text, rows, [["Show the lock", () => this.table.select(w.monitor, true)]],
      [el("h3", {}, "Where it waits"), mine, el("h3", {}, "Where the owner was"), owners]);
    show(el("p", { class: "hint" }, "Asking …"), null);
    const [mine, owners] = await Promise.all([framesOf(w.stack), framesOf(w.owner_stack)]).catch(() => [[], []]);
    show(frameList(mine, (f) => go("cpu", { method: f.method })), w.owner_stack ? frameList(owners, (f) => go("cpu", { method: f.method })) : el("p", { class: "hint" }, "Not known."));
  }

  #pickLock(row) {
    this.picked = true;
    this.table.select(row.monitor);
    const longest = this.waits.filter((w) => w.monitor === row.monitor).reduce((a, b) => (a && a.ns > b.ns ? a : b), null);
    if (longest) return this.#pickWait(longest);
    return this.details.show(`${shortClass(row.class)} #${row.monitor}`, packageOf(row.class), [["waited", duration(row.total_ns)], ["waits", count(row.waits)], ["longest", duration(row.max_ns)],
      ["of the range", share(row.total_ns / 1e6 / ((state.brush?.[1] ?? now()) - (state.brush?.[0] ?? 0)))]]);
  }

  #drawDeadlocks(list) {
    replace(this.ring, list.map((ring, i) => el("div", { class: "deadlock", role: "group", "aria-label": `Deadlock of ${ring.length} threads` },
      el("div", {}, el("b", {}, `Deadlock ${list.length > 1 ? i + 1 : ""}`), el("p", {}, "These threads wait for each other and will never go on."),
        el("ol", {}, ring.map((d) => el("li", {}, el("button", { type: "button", class: "link", on: { click: () => this.#pickDead(d) } }, deadName(d)),
          ` waits for ${d.monitor}, held by ${(d.waits_for_name || threadName(d.waits_for))}`)))), this.#ringPicture(ring))));
  }

  #ringPicture(ring) {
    const [w, h, r] = ring.length > 2 ? [640, 220, 84] : [640, 120, 0];
    const at = (i) => [w / 2 - Math.cos((i / ring.length) * 2 * Math.PI) * 190, h / 2 - Math.sin((i / ring.length) * 2 * Math.PI) * r];
    const index = new Map(ring.map((d, i) => [d.thread, i]));
    const arrows = ring.map((d, i) => arrow(at(i), at(index.get(d.waits_for) ?? (i + 1) % ring.length), d.monitor));
    const nodes = ring.map((d, i) => {
      const [x, y] = at(i);
      return svg("g", {}, svg("rect", { x: x - 62, y: y - 13, width: 124, height: 26, rx: 6, class: "ring-node" }), svg("text", { x, y: y + 4, "text-anchor": "middle" }, short(deadName(d), 19)));
    });
    return svg("svg", { viewBox: `0 0 ${w} ${h}`, width: w, height: h, role: "img", "aria-label": "who waits for whom", class: "ring" },
      svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, svg("path", { d: "M0 0 8 4 0 8z", class: "ring-tip" }))), arrows, nodes);
  }

  async #pickDead(d) {
    const frames = await framesOf(d.stack).catch(() => []);
    this.details.show(deadName(d), "in a deadlock", [["waits for", d.monitor], ["held by", (d.waits_for_name || threadName(d.waits_for))]], [], [el("h3", {}, "Where it waits"), frameList(frames)]);
  }
}

const ownerName = (w) => w.owner_name || threadName(w.owner) || "nobody known";
const deadName = (d) => d.thread_name || threadName(d.thread);
const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** A bent arrow between two thread boxes with the monitor's name beside it. */
function arrow([x1, y1], [x2, y2], text) {
  const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [nx, ny] = [(y2 - y1) / length, -(x2 - x1) / length];
  const [cx, cy] = [mx + nx * 56, my + ny * 56];
  const cut = (x, y) => {
    const d = Math.hypot(cx - x, cy - y) || 1;
    const k = Math.min(66 / Math.max(1e-6, Math.abs(cx - x) / d), 17 / Math.max(1e-6, Math.abs(cy - y) / d));
    return [x + ((cx - x) / d) * k, y + ((cy - y) / d) * k];
  };
  const [a, b] = [cut(x1, y1), cut(x2, y2)];
  return svg("g", {}, svg("path", { d: `M${a} Q${cx},${cy} ${b}`, class: "ring-arrow", "marker-end": "url(#tip)" }),
    svg("text", { x: (cx + mx) / 2, y: (cy + my) / 2 + (ny > 0 ? 20 : -11), "text-anchor": "middle", class: "ring-label" }, short(shortMethod(text), 30)));
}
