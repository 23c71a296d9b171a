// SPDX-License-Identifier: Apache-2.0
// What all views look like: tools, the sentence that says how the numbers were got, the main element, two panes.

import { button, el, facts, replace } from "./dom.js";
import { clock, count } from "./format.js";
import { get } from "./api.js";
import { state } from "./state.js";

export class Frame {
  /** find: {placeholder, onFind(words), onEnter()} or null; main, left and right are elements or null. */
  constructor({ id, tools = [], find, main, left, right, legend }) {
    this.howText = el("span", { class: "how", "aria-live": "polite" });
    this.findState = el("span", { class: "found", "aria-live": "polite" });
    this.input = find && this.#input(find);
    const hasTools = tools.length > 0 || find;
    this.tools = el("div", { class: hasTools ? "tools" : "tools none" }, tools, this.input && el("span", { class: "find" }, this.input), this.findState);
    this.warning = el("p", { class: "warning", role: "alert", hidden: true });
    this.main = el("section", { class: "card main" }, el("div", { class: "howline" }, this.howText, legend), this.warning, main);
    this.left = left && el("section", { class: "card left" }, left);
    this.right = right && el("section", { class: "card right" }, right);
    this.node = el("div", { class: `view v-${id}` }, this.tools, this.main, this.left, this.right);
  }

  #input({ placeholder, onFind, onEnter }) {
    const input = el("input", { type: "search", placeholder, "aria-label": placeholder, "aria-keyshortcuts": "/", spellcheck: "false", autocomplete: "off" });
    input.addEventListener("input", () => onFind(input.value));
    input.addEventListener("keydown", (e) => {
      if (e.key === "Enter") onEnter?.();
      else if (e.key === "Escape") { if (input.value) { input.value = ""; onFind(""); } else input.blur(); }
      else return;
      e.preventDefault();
      e.stopPropagation();
    });
    return input;
  }

  how(text) {
    if (this.howText.textContent !== text) this.howText.textContent = text ?? "";
  }

  /** What was found, or a sum; `marked`: the matches are marked in the colour of the search. */
  found(text, marked = false) {
    replace(this.findState, text && marked && el("i", { class: "swatch", vars: { "--c": "var(--fh)" } }), text);
  }

  /** Runs a question to the front; while it runs the main element is marked busy, a failure is shown in words above it. */
  async ask(question) {
    const slow = setTimeout(() => this.main.classList.add("busy"), 150);
    try {
      const answer = await question();
      this.warning.hidden = true;
      return answer;
    } catch (e) {
      this.warning.hidden = false;
      replace(this.warning, el("b", {}, e.message), " ", e.todo);
      return null;
    } finally {
      clearTimeout(slow);
      this.main.classList.remove("busy");
    }
  }
}

/** Title of a pane with a soft remark. */
export const heading = (title, note) => el("h2", {}, el("span", { class: "title" }, title), note && el("small", {}, note));

/** A pane that shows what is selected, or what to do while nothing is. */
export class Details {
  constructor(hint) {
    this.hint = hint;
    this.node = el("div", { class: "details" });
    this.clear();
  }

  clear() {
    replace(this.node, el("p", { class: "hint" }, this.hint));
  }

  /** rows: [name, value]; actions: [text, fn] or [text, fn, options of button()]; more: elements below. */
  show(title, note, rows, actions = [], more = []) {
    replace(this.node, heading(title, note), facts(rows),
      actions.length > 0 && el("div", { class: "actions" }, actions.filter(Boolean).map(([text, fn, options]) => button(text, fn, options))), more);
  }
}

export const brushWords = () => (state.brush ? `from ${clock(state.session.started, state.brush[0])} to ${clock(state.session.started, state.brush[1])}` : "in all that was recorded");

/** A stack as a list, innermost first. */
export function frameList(frames, onOpen) {
  if (!frames?.length) return el("p", { class: "hint" }, "No stack was taken here.");
  return el("ol", { class: "stack" }, frames.map((f) => el("li", { class: f.native ? "native" : "" },
    onOpen && !f.native ? el("button", { type: "button", class: "link", on: { click: () => onOpen(f) } }, f.method) : el("span", {}, f.method),
    el("small", {}, f.native ? "native code" : f.line > 0 ? `line ${count(f.line)}` : ""))));
}

/** Frames of a stack id (an array of frames passes through). */
export async function framesOf(stack) {
  if (Array.isArray(stack)) return stack;
  if (!stack) return [];
  return (await get("frames", { stack })).frames;
}
