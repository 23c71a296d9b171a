// SPDX-License-Identifier: Apache-2.0
// Which threads the views show: a menu of check boxes with each thread's share of the CPU.

import { el, replace } from "./dom.js";
import { share } from "./format.js";
import { get } from "./api.js";
import { narrowed, set, state } from "./state.js";

export class ThreadChoice {
  constructor() {
    this.button = el("button", { type: "button", class: "btn", "aria-haspopup": "true", "aria-expanded": "false", on: { click: () => this.toggle() } });
    this.list = el("div", { class: "menu", hidden: true, role: "group", "aria-label": "Threads" });
    this.node = el("span", { class: "menubox" }, this.button, this.list);
    this.node.addEventListener("keydown", (e) => { if (e.key === "Escape" && !this.list.hidden) { e.stopPropagation(); this.toggle(false); this.button.focus(); } });
    this.node.addEventListener("focusout", (e) => { if (!this.node.contains(e.relatedTarget)) this.toggle(false); });
    this.#label();
  }

  #label() {
    const n = state.threads.length;
    const name = n === 1 ? state.threadNames.get(state.threads[0]) : null;
    replace(this.button, n ? name ?? `${n} threads` : "All threads", " ▾");
  }

  async toggle(open = this.list.hidden) {
    this.list.hidden = !open;
    this.button.setAttribute("aria-expanded", open);
    if (!open) return;
    replace(this.list, el("p", { class: "hint" }, "Asking …"));
    const answer = await get("thread_cpu", narrowed({ threads: undefined })).catch(() => ({ threads: [] }));
    for (const t of answer.threads) state.threadNames.set(t.id, t.name);
    replace(this.list, el("button", { type: "button", class: "btn quiet", on: { click: () => { this.#choose([]); this.toggle(false); this.button.focus(); } } }, "All threads"),
      answer.threads.sort((a, b) => b.cpu_ns - a.cpu_ns).map((t) => this.#entry(t)),
      !answer.threads.length && el("p", { class: "hint" }, "No thread has used CPU here."));
    this.list.querySelector("button, input")?.focus();
  }

  #entry(t) {
    const box = el("input", { type: "checkbox", checked: state.threads.includes(t.id) });
    box.addEventListener("change", () => this.#choose(box.checked ? [...state.threads, t.id] : state.threads.filter((id) => id !== t.id)));
    return el("label", { class: "check" }, box, el("span", { class: "m" }, t.name), el("small", {}, share(t.share)));
  }

  #choose(threads) {
    set({ threads });
    this.#label();
  }
}
