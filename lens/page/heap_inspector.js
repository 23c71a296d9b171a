// SPDX-License-Identifier: Apache-2.0
// One object of a snapshot: its fields, what refers to it, and the ways from the roots that keep it alive. Each object named is a link; Back goes back.

import { button, el, facts, replace, segmented } from "./dom.js";
import { bytes, counted, packageOf, shortClass } from "./format.js";
import { newest } from "./api.js";
import { heading } from "./frame.js";

const FORMS = [["fields", "Fields"], ["path", "Kept alive by"], ["referrers", "Referred to by"]];

export class HeapInspector {
  /** snapshot(): the id of the snapshot shown. */
  constructor(snapshot) {
    this.snapshot = snapshot;
    this.history = [];
    this.form = "fields";
    this.ask = newest();
    this.askMore = newest();
    this.head = el("div");
    this.body = el("div", { class: "inspected" });
    this.segments = segmented("What of the object", FORMS, this.form, (form) => { this.form = form; this.#more(); });
    this.node = el("div", { class: "details" }, el("p", { class: "hint" }, "Choose an object: its fields and what keeps it alive stand here."));
  }

  async show(object, back = false) {
    if (!back && this.object && this.object !== object) this.history.push(this.object);
    this.object = object;
    const o = await this.ask("heap/object", { id: this.snapshot(), object }).catch((e) => ({ failed: e }));
    if (!o) return;
    if (o.failed) return replace(this.node, el("p", { class: "hint" }, o.failed.message));
    this.info = o;
    replace(this.head, heading(`${shortClass(o.class)} #${o.object}`, packageOf(o.class)), o.label && el("p", { class: "m clip" }, o.label),
      facts([["itself", bytes(o.bytes)], ["retained", bytes(o.retained)], o.dominator ? ["kept alive by", this.#link(o.dominator)] : null]),
      el("div", { class: "actions" }, this.history.length > 0 && button("Back", () => this.show(this.history.pop(), true)), this.segments));
    replace(this.node, this.head, this.body);
    this.#more();
  }

  #link(object, text) {
    const [id, name] = typeof object === "object" ? [object.object, `${shortClass(object.class)} #${object.object}`] : [object, `#${object}`];
    return el("button", { type: "button", class: "link m", on: { click: () => this.show(id) } }, text ?? name);
  }

  async #more() {
    if (this.form === "fields") return this.#fields();
    const answer = await this.askMore(`heap/${this.form}`, { id: this.snapshot(), object: this.object, limit: 100 }).catch((e) => ({ failed: e }));
    if (!answer) return undefined;
    if (answer.failed) return replace(this.body, el("p", { class: "hint" }, answer.failed.message));
    return this.form === "path" ? this.#paths(answer.paths) : this.#referrers(answer);
  }

  #fields() {
    const o = this.info;
    if (!o.fields.length) return replace(this.body, el("p", { class: "hint" }, "It has no fields."));
    return replace(this.body, el("table", { "aria-label": "Fields" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "field"), el("th", { scope: "col", class: "wide" }, "value"))),
      el("tbody", {}, o.fields.map((f) => el("tr", {}, el("td", { class: "m", title: f.class }, f.name),
        el("td", { class: "m wide" }, f.object ? this.#link(f.object, f.value || undefined) : el("span", { class: "clip" }, String(f.value ?? "null"))))))),
    o.more ? el("p", { class: "hint" }, `${counted(o.more, "more element")} not shown.`) : null);
  }

  #paths(paths) {
    if (!paths?.length) return replace(this.body, el("p", { class: "hint" }, "No root reaches it: it will go with the next collection."));
    return replace(this.body, paths.map((path) => el("ol", { class: "path" }, path.map((step) => el("li", {}, this.#step(step))))));
  }

  #step(step) {
    if (step.root) return [el("b", {}, `root: ${step.root.kind}`), el("small", {}, [step.root.thread, step.root.method].filter(Boolean).join(", "))];
    return [this.#link(step), step.via && el("small", {}, `by ${step.via}${step.weak ? ", weak" : ""}`)];
  }

  #referrers(answer) {
    if (!answer.rows.length) return replace(this.body, el("p", { class: "hint" }, "Only roots refer to it."));
    return replace(this.body, el("ol", { class: "path" }, answer.rows.map((r) => el("li", {}, this.#link(r), r.via && el("small", {}, `by ${r.via}`)))),
      answer.of > answer.rows.length && el("p", { class: "hint" }, `${counted(answer.of - answer.rows.length, "more")} not shown.`));
  }
}
