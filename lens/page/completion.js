// SPDX-License-Identifier: Apache-2.0
// Completion of class and method names below a text field (a combo box): Down and Up choose, Enter or Tab takes, Escape closes.

import { el, replace } from "./dom.js";
import { newest } from "./api.js";

let serial = 0;

export class Completion {
  constructor(input) {
    this.input = input;
    this.ask = newest();
    this.list = el("ul", { class: "menu", role: "listbox", id: `complete${++serial}`, hidden: true });
    this.node = el("span", { class: "menubox" }, input, this.list);
    for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", this.list.id]]) input.setAttribute(name, value);
    input.addEventListener("input", () => this.#look());
    input.addEventListener("keydown", (e) => this.#key(e));
    input.addEventListener("blur", () => setTimeout(() => this.#close(), 150));
    this.list.addEventListener("mousedown", (e) => {
      e.preventDefault();
      const item = e.target.closest("li");
      if (item) this.#take(item);
    });
  }

  async #look() {
    const text = this.input.value.trim();
    if (text.length < 2) return this.#close();
    const answer = await this.ask("classes", { match: text }).catch(() => null);
    if (!answer || document.activeElement !== this.input) return undefined;
    const names = answer.classes.flatMap((c) => c.methods.length ? c.methods.map((m) => ({ name: `${c.name}.${m.name}`, note: m.signature })) : [{ name: c.name, note: "" }]);
    replace(this.list, names.slice(0, 40).map((n, i) => el("li", { role: "option", id: `${this.list.id}-${i}`, "aria-selected": "false", data: { name: n.name } }, el("span", { class: "m" }, n.name), el("small", {}, n.note))));
    this.at = -1;
    this.list.hidden = !names.length;
    this.input.setAttribute("aria-expanded", names.length > 0);
    return undefined;
  }

  #close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  #take(item) {
    this.input.value = item.dataset.name;
    this.#close();
  }

  #move(step) {
    const items = [...this.list.children];
    this.at = (this.at + step + items.length) % items.length;
    items.forEach((li, i) => li.setAttribute("aria-selected", i === this.at));
    items[this.at].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", items[this.at].id);
  }

  #key(e) {
    if (this.list.hidden) return;
    const chosen = this.list.children[this.at];
    if (e.key === "ArrowDown") this.#move(1);
    else if (e.key === "ArrowUp") this.#move(-1);
    else if (e.key === "Escape") this.#close();
    else if (e.key === "Enter" && chosen) this.#take(chosen);
    else if (e.key === "Tab" && chosen) return this.#take(chosen);
    else return undefined;
    e.preventDefault();
    e.stopPropagation();
    return undefined;
  }
}
