// SPDX-License-Identifier: Apache-2.0
// CPU: where does the time go?

import { segmented } from "./dom.js";
import { classOfMethod, shortMethod } from "./format.js";
import { Frame } from "./frame.js";
import { Flames } from "./view_flames.js";
import { ThreadChoice } from "./threadchoice.js";
import { askDialog } from "./dialogs.js";
import { attempt, order } from "./orders.js";
import { toast } from "./dom.js";
import { go } from "./route.js";

const KINDS = [
  ["cpu", "CPU time", "Samples of threads that use a processor"],
  ["wall", "Wall time", "Samples of all threads, waiting ones too"],
  ["exact", "Exact", "Entry and exit of the packages chosen"],
];

export const cpu = {
  id: "cpu", title: "CPU", key: "2", data: "cpu",
  verbs: ["cpu", "exact"],
  question: "Where does the time go?",
  idle: "Samples the running threads with their stacks, native frames too, without waiting for safepoints. What it costs stands in the bar above while it records.",
  options: [
    { name: "hz", label: "Rate", initial: "100", choices: [["10", "10 Hz"], ["100", "100 Hz"], ["1000", "1,000 Hz"], ["10000", "10,000 Hz"]], hint: "The rate reached stands beside the graph." },
    { name: "mode", label: "Time", initial: "cpu", choices: [["cpu", "CPU time"], ["wall", "wall time"], ["both", "both"]] },
  ],
  start: (o) => [["cpu", { hz: o.hz, mode: o.mode }]],
  exports: ["collapsed", "pprof", "speedscope", "firefox", "chrome", "html", "csv", "json"],
  create() {
    let kind = "cpu";
    const flames = new Flames({
      label: "Flame graph of time", source: () => ({ data: kind }),
      hooks: { watch: (name) => go("watch", { method: name }), exact: timeExactly },
    });
    const refresh = async () => {
      const graph = await flames.refresh(frame);
      return graph === null ? null : graph.samples > 0 || graph.total?.[0] > 0;
    };
    const choose = (value) => { kind = value; refresh(); };
    const kinds = segmented("Kind of time", KINDS, kind, choose);
    const threads = new ThreadChoice();
    const frame = new Frame({
      id: "cpu", tools: [flames.segments, kinds, threads.node], legend: flames.legend, main: flames.body, left: flames.left, right: flames.details.node,
      find: { placeholder: "Find a method", onFind: (words) => flames.find(words), onEnter: () => flames.findFirst() },
    });
    return {
      frame, refresh, about: () => ({ data: kind }), destroy: () => flames.destroy(),
      key: (e) => e.key.toLowerCase() === "d" && (flames.setForm(flames.form === "compare" ? "flame" : "compare"), true),
      open: ({ method, form }) => { if (form) flames.setForm(form); if (method) { flames.showCallers(method); } },
    };
  },
};

async function timeExactly(name) {
  const include = await askDialog(`Time ${shortMethod(name)} exactly`, "Classes or packages to time, separated by commas", {
    value: classOfMethod(name), yes: "Start timing",
    hint: "Each entry and exit in these classes is counted and timed: com.acme.* means a package and those below. This slows those methods down; Stop ends it.",
  });
  if (include && (await attempt(() => order("exact", { include })))) toast("Timing. Choose “Exact” to see counts and times.");
}
