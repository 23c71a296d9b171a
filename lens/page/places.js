// SPDX-License-Identifier: Apache-2.0
// What stands in a view's place when there is nothing to show: choosing a program, idle, cannot, failed.

import { button, el } from "./dom.js";
import { optionsForm } from "./orders.js";
import { bytes, clock, counted } from "./format.js";
import { live, state } from "./state.js";

const card = (kind, ...content) => el("section", { class: `card place ${kind}` }, content);

/** Nothing recorded yet: what this view shows, what it costs, one button. */
export function idlePlace(view, start) {
  const file = state.session.mode === "file";
  const said = file && view.id === "debugger" ? "There is no running program: this is what was recorded of one." : file ? "This recording has nothing of this kind. It was not recorded when the file was made." : live() ? view.idle : "The program has ended, and nothing of this kind was recorded.";
  const options = live() ? optionsForm(view) : [];
  return card("idle", el("h2", {}, view.question), el("p", {}, said), options.length > 0 && el("div", { class: "options" }, options),
    live() && el("p", {}, button(view.action ?? `Record ${view.title}`, start, { kind: "primary", key: "R" })));
}

/** Recording, but nothing came yet. */
export function waitingPlace(view) {
  return card("idle", el("h2", {}, view.question), el("p", {}, el("i", { class: "dot pulse" }), " Recording. The first numbers come as soon as the program does something of this kind."),
    state.brush && el("p", { class: "hint" }, "A range is brushed on the time line, and there is nothing in it. Escape shows all."));
}

/** This VM cannot: why, and what would help. */
export function cannotPlace(view, why) {
  const s = state.session;
  const [reason, ...rest] = why.split("\n");
  return card("cannot", el("h2", {}, `Not on this VM: ${view.question}`), el("p", {}, `${s.vm} ${s.version}: ${reason}`), rest.map((line) => el("p", { class: "hint" }, line)),
    el("p", { class: "hint" }, "Views that this VM cannot give have their names in italics; the others work."));
}

/** What went wrong or ended, above the view whose data stay. */
export function failedNotice(order, dismiss) {
  return el("div", { class: "note failed" }, el("b", {}, "Failed: "), order.text, button("Dismiss", dismiss, { kind: "quiet small" }));
}

export function endedNotice() {
  const { t, why, crash } = state.session.ended;
  return el("div", { class: "note" }, el("b", {}, `The program ended at ${clock(state.session.started, t)}: `), why, ". ", crash && ["The VM left a crash report: ", el("code", {}, crash), ". "], "All that was recorded stays here; “Save recording” keeps it.");
}

export const lostNotice = () => el("div", { class: "note failed" }, el("b", {}, "Lens does not answer. "), "What is shown stays. The page goes on by itself when `lens` answers again.");

/** The programs that can be looked into. */
export function choosePlace(answer, open, reload) {
  const rows = answer.jvms.map((j) => el("tr", {}, el("td", { class: "wide m" }, j.main), el("td", { class: "n" }, String(j.pid)), el("td", {}, [j.vm, j.version].filter(Boolean).join(" ")), el("td", {}, j.user), el("td", {}, since(j.started)),
    el("td", {}, j.attachable ? button("Look into it", () => open({ pid: j.pid }, j.main), { kind: "small", label: `Look into ${j.main}, process ${j.pid}` }) : el("small", { class: "soft" }, j.why))));
  return el("section", { class: "card place choose" }, el("h2", {}, "Which program?"),
    rows.length ? el("table", { "aria-label": "Java programs" }, el("thead", {}, el("tr", {}, ["program", "process", "VM", "user", "since", ""].map((t, i) => el("th", { scope: "col", class: i === 1 ? "n" : i ? "" : "wide" }, t)))), el("tbody", {}, rows))
      : el("p", {}, "No Java program of this user runs now. Start one, then look again."),
    el("p", {}, button("Look again", reload)), recordings(answer.recordings ?? [], open));
}

function recordings(list, open) {
  if (!list.length) return null;
  return [el("h2", {}, "Or a recording?"), el("table", { "aria-label": "Recordings" }, el("tbody", {}, list.map((r) => {
    const name = r.file.slice(r.file.lastIndexOf("/") + 1);
    return el("tr", {}, el("td", { class: "wide m", title: r.file }, name), el("td", { class: "n" }, bytes(r.bytes)), el("td", {}, since(r.time)), el("td", {}, button("Open", () => open({ file: r.file }, name), { kind: "small", label: `Open ${name}` })));
  })))];
}

/** A full disk, a damaged file: what is not kept. */
export function damageNotice() {
  const { disk, damaged } = state.session;
  return [disk && el("div", { class: "note failed" }, el("b", {}, "The recording is not kept any more: "), disk),
    damaged > 0 && el("div", { class: "note" }, el("b", {}, "Parts are missing: "), `${counted(damaged, "block")} of the recording could not be read; all others are shown.`)];
}

const since = (ms) => (ms ? new Date(ms).toLocaleString("en-GB", { hour12: false }) : "");
