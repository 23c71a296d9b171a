// SPDX-License-Identifier: Apache-2.0
// Dialogs: a text, the source of a class, a question, all keys. Escape closes each, focus returns to where it was.

import { button, el, kbd } from "./dom.js";
import { downloadText, get } from "./api.js";
import { share } from "./format.js";
import { listing } from "./source.js";

/** Opens a dialog; answers it, so that the caller can close it. */
export function dialog(title, content, { wide = false, actions = [] } = {}) {
  const box = el("dialog", { class: wide ? "wide" : "", "aria-label": title });
  const close = () => box.close();
  box.append(el("header", {}, el("h2", {}, title), button("Close", close, { kind: "quiet", key: "Esc" })),
    el("div", { class: "body" }, content), actions.length ? el("footer", {}, actions) : "");
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (e) => { if (e.target === box) close(); });
  document.body.append(box);
  box.showModal();
  return box;
}

export function textDialog(title, text, fileName) {
  dialog(title, el("pre", { tabindex: 0 }, text), {
    wide: true,
    actions: [button("Download", () => downloadText(fileName, text)), button("Copy", () => navigator.clipboard?.writeText(text))],
  });
}

/** A question with one way to say yes: answers a promise of true or false. */
export function confirmDialog(title, content, yes) {
  return new Promise((resolve) => {
    let answer = false;
    const ok = button(yes, () => { answer = true; box.close(); }, { kind: "primary" });
    const box = dialog(title, content, { actions: [ok] });
    box.addEventListener("close", () => resolve(answer));
    ok.focus();
  });
}

/** Asks for one line of text: answers a promise of it, or of null. */
export function askDialog(title, label, { value = "", hint = "", yes = "Go on", check } = {}) {
  return new Promise((resolve) => {
    let answer = null;
    const input = el("input", { type: "text", value, spellcheck: "false" });
    const form = el("form", { method: "dialog" }, el("label", { class: "field" }, el("span", {}, label), input, hint && el("small", {}, hint)), check,
      el("footer", {}, button(yes, () => form.requestSubmit(), { kind: "primary" })));
    form.addEventListener("submit", () => { answer = input.value.trim() || null; });
    const box = dialog(title, form);
    box.addEventListener("close", () => resolve(answer));
    input.focus();
  });
}

/** The source of a class at a line; heat: Map of line to share of the method's own time. */
export async function sourceDialog(className, line, heat = new Map()) {
  const title = `Source of ${className}`;
  let answer;
  try {
    answer = await get("source", { class: className });
    if (answer.error) throw Object.assign(new Error(answer.error), { todo: answer.do });
  } catch (e) {
    return dialog(title, [el("p", {}, e.message), el("p", { class: "hint" }, e.todo || "Start `lens` with --source FOLDER or JAR to say where sources lie.")]);
  }
  const marks = new Map([...heat].map(([nr, x]) => [nr, { heat: x, text: share(x), title: `${share(x)} of this method's own time` }]));
  const list = listing(answer.text, marks, title);
  dialog(title, [el("p", { class: "hint" }, answer.path ?? ""), list.node], { wide: true });
  list.go(line || heat.keys().next().value || 1);
  return null;
}

export function keysDialog(groups) {
  dialog("All keys", el("div", { class: "keys" }, groups.map(([title, keys]) => el("section", {}, el("h3", {}, title),
    el("dl", {}, keys.map(([names, text]) => [el("dt", {}, names.map(kbd)), el("dd", {}, text)]))))), { wide: true });
}
