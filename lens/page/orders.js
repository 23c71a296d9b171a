// SPDX-License-Identifier: Apache-2.0
// Orders to the agent: starting what a view records, stopping it, and showing how far the long ones are.

import { button, el, field, replace, toast } from "./dom.js";
import { millis } from "./format.js";
import { post } from "./api.js";
import { isRunning, mergeOrder, runningOrders, state } from "./state.js";

const chosen = new Map(); // view id -> values of its options, as last used

function optionsOf(view) {
  const values = chosen.get(view.id) ?? Object.fromEntries((view.options ?? []).map((o) => [o.name, o.initial]));
  chosen.set(view.id, values);
  return values;
}

/** The form of a view's options: selects, check boxes and texts of one line. */
export function optionsForm(view) {
  const values = optionsOf(view);
  return (view.options ?? []).map((o) => field(o.label, control(o, values), o.hint));
}

function control(o, values) {
  const keep = (value) => { values[o.name] = value; };
  if (o.choices) {
    const list = el("select", { on: { change: () => keep(list.value) } }, o.choices.map(([value, text]) => el("option", { value, selected: value === values[o.name] }, text)));
    return list;
  }
  if (o.check) {
    const box = el("input", { type: "checkbox", checked: values[o.name] === "1", on: { change: () => keep(box.checked ? "1" : "0") } });
    return box;
  }
  const text = el("input", { type: "text", value: values[o.name], placeholder: o.placeholder, spellcheck: "false", on: { input: () => keep(text.value) } });
  return text;
}

export async function order(verb, args = {}) {
  const { id } = await post("order", { verb, args });
  if (!state.session.orders.some((o) => o.id === id)) {
    mergeOrder({ id, verb, args, state: "accepted", permille: 0, left: 0, text: "", values: {}, since: state.session.now });
  }
  return id;
}

export async function stopOrder(id) {
  await post("stop", { id });
}

/** Does something with the front and says in words what failed. Answers undefined then. */
export async function attempt(action) {
  try {
    return await action();
  } catch (e) {
    toast(`${e.message} ${e.todo ?? ""}`, true);
    return undefined;
  }
}

export const startView = (view) => attempt(async () => {
  for (const [verb, args] of view.start(optionsOf(view))) await order(verb, args);
});

export const stopView = (view) => attempt(async () => {
  for (const o of runningOrders(view.verbs)) await stopOrder(o.id);
});

/** The newest failed order of a view that nothing newer followed. */
export function failureOf(view) {
  const mine = (state.session?.orders ?? []).filter((o) => view.verbs.includes(o.verb));
  const last = mine.reduce((a, b) => (a && a.id > b.id ? a : b), null);
  return last?.state === "failed" ? last : null;
}

const WORK = { heap: "Walking the heap", import: "Reading the heap dump", coverage: "Setting breakpoints for coverage", dump: "Taking a thread dump", attach: "Loading the agent" };

/** The strip of long actions: each with a bar, the time left and a button that ends it. */
export function paintJobs(strip) {
  const jobs = (state.session?.orders ?? []).filter((o) => isRunning(o) && WORK[o.verb] && (o.state === "progress" || o.verb === "heap") && o.permille < 1000);
  replace(strip, jobs.map((o) => el("div", { class: "job", role: "group", "aria-label": WORK[o.verb] },
    el("span", {}, o.text || WORK[o.verb]),
    el("progress", { max: 1000, value: o.permille, "aria-label": "done" }),
    el("span", { class: "soft" }, `${(o.permille / 10).toFixed(0)} %${o.left > 0 ? `, about ${millis(o.left)} left` : ""}`),
    button("Stop", () => attempt(() => stopOrder(o.id)), { kind: "quiet" }))));
  strip.hidden = !jobs.length;
}
