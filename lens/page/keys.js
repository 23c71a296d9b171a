// SPDX-License-Identifier: Apache-2.0
// All keys: the one table from which the overlay and the foot of the page are made, and the dispatch of those that work everywhere.

export const KEYS = [
  ["Everywhere", [
    [["1", "…", "9", "0"], "views"], [["/"], "find in this view"], [["R"], "record or stop"], [["B"], "brush on the time line"], [["[", "]"], "move the brush"],
    [["Esc"], "brush away, out, close"], [["M"], "mark now (“since mark” counts from here)"], [["T"], "thread dump"], [["E"], "export"], [["L"], "light or dark"], [["?"], "all keys"],
  ]],
  ["Graph", [
    [["↑", "↓", "←", "→"], "caller, callee, neighbours"], [["Enter"], "zoom in"], [["Esc"], "zoom out"], [["Home"], "to the root"], [["D"], "compare with the brushed range"],
  ]],
  ["Tables and trees", [
    [["↑", "↓"], "move"], [["→", "←"], "open, close"], [["Enter"], "open what is chosen; in call trees and dominators the whole heavy path"], [["Home", "End"], "first, last"],
  ]],
  ["Time line and lanes", [
    [["←", "→"], "move an edge of the brush, or the moment (Shift: faster)"], [["wheel"], "zoom the time line"], [["double click"], "all of the time line"], [["N"], "next missed line (coverage)"],
  ]],
];

const typing = (target) => target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");

/** handlers: {key (lower case): fn(event)}; they do not run while a person types or a dialog is open. */
export function bindKeys(handlers) {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || e.defaultPrevented || typing(e.target) || document.querySelector("dialog[open]")) return;
    const fn = handlers[e.key.length === 1 ? e.key.toLowerCase() : e.key] ?? handlers.other;
    if (fn(e) !== false) e.preventDefault();
  });
}
