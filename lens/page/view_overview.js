// SPDX-License-Identifier: Apache-2.0
// Overview: how is the program doing, and where is it worth looking?

import { el, replace, throttle } from "./dom.js";
import { byteRate, bytes, cores, count, counted, duration, rate, share, shortClass, shortMethod } from "./format.js";
import { get, newest } from "./api.js";
import { narrowed, now, state } from "./state.js";
import { brushWords, Frame, heading } from "./frame.js";
import { Plot } from "./plot.js";
import { Table } from "./table.js";
import { go } from "./route.js";

const msPerSecond = (x) => (x === null || x === undefined ? duration(NaN) : `${duration(x)}/s`);

/** The plots: what they show and which view tells more. */
const PLOTS = [
  { title: "CPU", view: "cpu", format: cores, series: [{ key: "process_cpu", name: "of the process", colour: "--acc", fill: true }], least: () => state.session.cores },
  { title: "Heap", view: "heap", format: bytes, series: [{ key: "heap_used", name: "used", colour: "--acc", fill: true }, { key: "heap_committed", name: "committed", colour: "--soft" }] },
  { title: "Allocation", view: "alloc", format: byteRate, series: [{ key: "allocation_rate", name: "allocated a second", colour: "--warn", fill: true }] },
  { title: "Collections", view: "alloc", format: msPerSecond, series: [{ key: "gc_nanos", name: "time in collections", colour: "--gc", fill: true }] },
  {
    title: "Threads", view: "threads", format: count, stack: true,
    series: [{ key: "threads_running", name: "running", colour: "--s-run" }, { key: "threads_blocked", name: "blocked", colour: "--s-block" }, { key: "threads_waiting", name: "waiting", colour: "--s-wait" }],
  },
  { title: "Contention", view: "locks", format: rate, series: [{ key: "contended_count", name: "times a second, while locks are recorded", colour: "--s-block", fill: true }] },
  { title: "Exceptions", view: "exceptions", format: rate, series: [{ key: "exception_count", name: "thrown a second, while recorded", colour: "--rec", fill: true }] },
  { title: "Classes and code", view: "coverage", format: count, series: [{ key: "classes", name: "classes", colour: "--f2", fill: true }], beside: { key: "code_cache_used", name: "code cache", format: bytes } },
];

export const overview = {
  id: "overview", title: "Overview", key: "1",
  verbs: ["metrics"],
  question: "How is the program doing?",
  always: true,
  options: [],
  exports: ["csv", "json"],
  create() {
    const parts = new Parts();
    return { frame: parts.frame, refresh: () => parts.refresh(), metrics: throttle(() => parts.refresh(), 1000), destroy: () => parts.destroy() };
  },
};

class Parts {
  constructor() {
    this.plots = PLOTS.map((p) => new Plot({ ...p, least: 0, onHover: (t) => this.plots.forEach((q) => q.showCross(t)), onOpen: () => go(p.view) }));
    this.words = el("ul", { class: "standout" });
    this.threads = new Table({
      label: "CPU by thread", sort: "cpu", rowKey: (r) => r.id, onOpen: () => go("threads"), empty: "No thread has used CPU in this range.",
      columns: [
        { key: "name", title: "thread", wide: true, mono: true, value: (r) => r.name, cell: (r) => r.name },
        { key: "cpu", title: "CPU", num: true, value: (r) => r.cpu_ns, cell: (r) => duration(r.cpu_ns) },
        { key: "share", title: "share", num: true, value: (r) => r.share, cell: (r) => share(r.share), bar: (r) => Math.min(1, r.share) },
      ],
    });
    this.costs = el("div");
    this.askMetrics = newest();
    this.frame = new Frame({
      id: "overview", main: el("div", { class: "plots" }, this.plots.map((p) => p.node)),
      left: el("div", {}, heading("CPU by thread"), this.threads.node),
      right: el("div", {}, heading("What stands out"), this.words, heading("What watching costs"), this.costs),
    });
  }

  destroy() {
    this.plots.forEach((p) => p.destroy());
  }

  async refresh() {
    return this.frame.ask(async () => {
      const narrowedTime = narrowed({ points: 300, threads: undefined });
      const [metrics, threads, costs] = await Promise.all([this.askMetrics("metrics", narrowedTime), get("thread_cpu", narrowed()), get("costs")]);
      if (!metrics) return null;
      this.frame.how(metrics.how);
      this.#plots(metrics);
      this.threads.set(threads.threads);
      this.#costs(costs);
      this.#standOut(metrics, threads.threads);
      return metrics.t.length > 0;
    });
  }

  #plots(metrics) {
    const range = state.brush ?? [0, Math.max(1000, now())];
    this.plots.forEach((plot, i) => {
      plot.least = PLOTS[i].least?.() ?? 0;
      plot.set(metrics.t, metrics.series, range);
    });
  }

  #costs(costs) {
    replace(this.costs, el("table", { "aria-label": "Costs of agents" }, el("thead", {}, el("tr", {}, ["agent", "CPU", "share"].map((t, i) => el("th", { scope: "col", class: i ? "n" : "wide" }, t)))),
      el("tbody", {}, [{ name: "Lens", ...costs.lens }, ...(costs.agents ?? [])].map((a) => el("tr", {}, el("td", {}, a.name), el("td", { class: "n" }, duration(a.ns)),
        el("td", { class: "n" }, a.share === undefined ? counted(a.events, "event") : share(a.share)))))), el("p", { class: "hint" }, costs.how));
  }

  /** Three sentences at most, each with the way to where it can be looked into. */
  async #standOut(metrics, threads) {
    const line = (view, text, more) => el("li", {}, text, " ", el("button", { type: "button", class: "link", on: { click: () => go(view) } }, more));
    const lines = [];
    const hot = await get("hot", narrowed({ data: "cpu", limit: 1 })).catch(() => null);
    if (hot?.rows?.length) lines.push(line("cpu", `${shortMethod(hot.rows[0].method)} takes ${share(hot.rows[0].share_self)} of the CPU itself.`, "See where"));
    else if (threads.length) lines.push(line("cpu", `${threads[0].name} uses the most CPU: ${share(threads[0].share)}.`, "Record CPU to see in which methods"));
    const gc = gcShare(metrics);
    if (gc > 0.02) lines.push(line("alloc", `Collections take ${share(gc)} of the time.`, "See what is allocated"));
    const growth = heapGrowth(metrics.series.heap_used);
    if (growth) lines.push(line("heap", `What is left after collections grew by ${bytes(growth)}.`, "See what is kept"));
    const locks = await get("locks", narrowed()).catch(() => null);
    const worst = locks?.rows?.reduce((a, b) => (a && a.total_ns > b.total_ns ? a : b), null);
    if (locks?.deadlocks?.length) lines.unshift(line("locks", `${counted(locks.deadlocks.length, "deadlock")}: these threads will never go on.`, "See who waits for whom"));
    else if (worst) lines.push(line("locks", `Threads waited ${duration(worst.total_ns)} for ${shortClass(worst.class)}.`, "See who held it"));
    replace(this.words, lines.length ? lines.slice(0, 3) : el("li", {}, `Nothing stands out ${brushWords()}. Record CPU or allocation to see more.`));
  }
}

function gcShare(metrics) {
  const range = state.brush ?? [0, Math.max(1, now())];
  const total = (metrics.collections ?? []).filter((c) => c.t >= range[0] && c.t <= range[1]).reduce((sum, c) => sum + c.ns, 0);
  return total / ((range[1] - range[0]) * 1e6);
}

/** How much the low points of the heap rose from the first to the last quarter; 0 where it is less than a tenth. */
function heapGrowth(used) {
  const values = (used ?? []).filter((v) => v !== null);
  if (values.length < 40) return 0;
  const quarter = Math.floor(values.length / 4);
  const first = Math.min(...values.slice(0, quarter));
  const last = Math.min(...values.slice(-quarter));
  return last > first * 1.1 ? last - first : 0;
}
