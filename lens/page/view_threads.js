// SPDX-License-Identifier: Apache-2.0
// Threads: what does each thread do, and when?

import { button, el } from "./dom.js";
import { clock, count, duration, millis, share } from "./format.js";
import { newest, post } from "./api.js";
import { live, narrowed, now, set, state } from "./state.js";
import { brushWords, Details, Frame, frameList, heading } from "./frame.js";
import { Lanes } from "./lanes.js";
import { matching, Table } from "./table.js";
import { textDialog } from "./dialogs.js";
import { attempt } from "./orders.js";
import { go } from "./route.js";

const STATES = {
  running: { colour: "--s-run", pattern: "solid", text: "running" },
  native: { colour: "--s-native", pattern: "solid", text: "in native code" },
  blocked: { colour: "--s-block", pattern: "hatch", text: "blocked on a monitor" },
  waiting: { colour: "--s-wait", pattern: "dots", text: "waiting" },
  parked: { colour: "--s-park", pattern: "lines", text: "parked" },
  sleeping: { colour: "--s-sleep", pattern: "thin", text: "sleeping" },
};

export const threads = {
  id: "threads", title: "Threads", key: "5",
  verbs: ["threads"],
  question: "What does each thread do, and when?",
  idle: "Looks at the state of every thread 20 times a second, with stacks by choice.",
  options: [
    { name: "ms", label: "Look each", initial: "50", choices: [["10", "10 ms"], ["50", "50 ms"], ["200", "200 ms"], ["1000", "1 s"]] },
    { name: "stacks", label: "Stacks when a state changes", initial: "1", check: true },
  ],
  start: (o) => [["threads", { ms: o.ms, stacks: o.stacks }]],
  exports: ["csv", "json", "chrome"],
  create: () => new Threads(),
};

export async function takeDump() {
  if (!live()) return;
  const answer = await attempt(() => post("dump"));
  if (answer) textDialog(`Thread dump, ${clock(state.session.started, now())}`, answer.text, `threads-${state.session.pid}.txt`);
}

class Threads {
  constructor() {
    this.ask = newest();
    this.askStack = newest();
    this.words = "";
    this.rows = [];
    this.lanes = new Lanes({ label: "Threads", kinds: STATES, onPick: (row, t, span) => this.#pick(row, t, span) });
    this.table = this.#table();
    this.details = new Details("Choose a moment in a lane: the stack of that thread at that time stands here.");
    this.vm = el("input", { type: "checkbox", checked: false, on: { change: () => this.#show() } });
    this.frame = new Frame({
      id: "threads", legend: this.lanes.legend, main: this.lanes.node, right: this.details.node,
      left: el("div", {}, heading("Time in each state", brushWords()), this.table.node),
      tools: [button("Thread dump", takeDump, { key: "T" }), el("label", { class: "check" }, this.vm, "threads of the VM too")],
      find: { placeholder: "Find a thread", onFind: (words) => { this.words = words; this.#show(); } },
    });
  }

  destroy() {
    this.lanes.destroy();
  }

  #table() {
    const part = (key, title) => ({ key, title, num: true, value: (r) => r.time[key] ?? 0, cell: (r) => share((r.time[key] ?? 0) / r.length), bar: key === "running" ? (r) => (r.time[key] ?? 0) / r.length : undefined });
    return new Table({
      label: "Threads", sort: "running", rowKey: (r) => r.id, empty: "No threads were seen in this range.",
      onSelect: (r) => this.lanes.pick(this.lanes.rows.findIndex((l) => l.id === r.id), this.lanes.moment ?? r.from), onOpen: (r) => { set({ threads: [r.id] }); go("cpu"); },
      columns: [
        { key: "name", title: "thread", wide: true, mono: true, value: (r) => r.name, cell: (r) => r.name },
        part("running", "running"), part("native", "native"), part("blocked", "blocked"), part("waiting", "waiting"), part("parked", "parked"), part("sleeping", "sleeping"),
        { key: "length", title: "seen for", num: true, value: (r) => r.length, cell: (r) => millis(r.length) },
      ],
    });
  }

  async refresh() {
    return this.frame.ask(async () => {
      const answer = await this.ask("threads", narrowed({ threads: undefined }));
      if (!answer) return null;
      this.frame.how(answer.how);
      this.range = state.brush ?? [0, Math.max(1000, now())];
      this.rows = answer.threads.map((t) => laneOf(t, this.range));
      for (const t of answer.threads) state.threadNames.set(t.id, t.name);
      this.#show();
      return this.rows.some((r) => r.spans.length);
    });
  }

  #show() {
    const rows = matching(this.rows, this.words, (r) => [r.name]).filter((r) => this.vm.checked || !r.vm);
    this.lanes.set(rows, this.range ?? [0, 1]);
    this.table.set(rows);
    this.frame.found(this.words.trim() ? `${count(rows.length)} of ${count(this.rows.length)} threads` : "");
  }

  async #pick(row, t, span) {
    this.table.select(row.id);
    const rows = [["state", span ? `${STATES[span.kind]?.text ?? span.kind}, for ${millis(span.to - span.from)}` : "not there at this time"], ["at", clock(state.session.started, t, true)], ["running", `${millis(row.time.running ?? 0)}, ${share((row.time.running ?? 0) / row.length)}`]];
    const actions = [["CPU of this thread", () => { set({ threads: [row.id] }); go("cpu"); }]];
    const show = (more) => this.details.show(row.name, row.daemon ? "daemon" : row.vm ? "of the VM" : "", rows, actions, [el("h3", {}, "Stack"), more]);
    show(el("p", { class: "hint" }, "Asking …"));
    const stack = await this.askStack("stack", { thread: row.id, t: Math.round(t) }).catch((e) => ({ failed: e }));
    if (!stack) return;
    if (stack.failed) return show(el("p", { class: "hint" }, stack.failed.message));
    const off = Math.abs(stack.t - t);
    show([off > 5 && el("p", { class: "hint" }, `Taken ${duration(off * 1e6)} ${stack.t > t ? "later" : "before"}.`), frameList(stack.frames, (f) => go("cpu", { method: f.method }))]);
  }
}

/** A thread of the front as a lane with its spans cut to the range, and the time in each state. */
function laneOf(t, range) {
  const end = t.end ?? now();
  const spans = [];
  const time = {};
  for (let i = 0; i < t.lanes.length; i += 2) {
    const from = Math.max(range[0], t.lanes[i]);
    const to = Math.min(range[1], end, t.lanes[i + 2] ?? end);
    const kind = t.lanes[i + 1];
    if (to <= from || !STATES[kind]) continue;
    spans.push({ from, to, kind });
    time[kind] = (time[kind] ?? 0) + to - from;
  }
  const from = Math.max(range[0], t.start ?? 0);
  return { id: t.id, name: t.name, daemon: t.daemon, vm: t.vm, note: "", spans, time, from, length: Math.max(1, Object.values(time).reduce((sum, ms) => sum + ms, 0)) };
}
