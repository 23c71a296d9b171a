// SPDX-License-Identifier: Apache-2.0
// A table whose rows open: call trees, dominators, packages and classes. A node is anything; `children(node)` answers an array or a promise of
// one, asked for when the row is first opened. Right opens, Left closes or goes to the parent, Enter opens what the view wants.

import { el, replace, toast } from "./dom.js";
import { counted } from "./format.js";

const LIMIT = 100;

export class TreeTable {
  /** columns as in table.js, the first one carries the tree; nodeKey(node) names it, hasChildren(node) says whether it can be opened. */
  constructor({ label, columns, nodeKey, children, hasChildren, onSelect, onOpen, empty = "Nothing yet." }) {
    Object.assign(this, { columns, nodeKey, childrenOf: children, hasChildren, onSelect, onOpen, empty });
    this.open = new Set();
    this.known = new Map();
    this.limits = new Map();
    this.selected = null;
    this.body = el("tbody");
    const head = el("tr", {}, columns.map((c) => el("th", { scope: "col", class: c.num ? "n" : "wide", title: c.hint }, c.title)));
    this.table = el("table", { role: "treegrid", "aria-label": label }, el("thead", {}, head), this.body);
    this.node = el("div", { class: "tablebox" }, this.table);
    this.body.addEventListener("keydown", (e) => this.#key(e));
    this.body.addEventListener("click", (e) => this.#click(e));
    this.body.addEventListener("dblclick", () => this.onOpen?.(this.current()));
  }

  set(roots) {
    this.roots = roots;
    this.known.clear();
    this.#refill().then(() => this.paint());
  }

  /** Asks again for the children of what is open. */
  async #refill() {
    const walk = async (nodes) => {
      for (const node of nodes) {
        const key = this.nodeKey(node);
        if (this.open.has(key) && this.hasChildren(node)) await walk(await this.#load(node, key));
      }
    };
    await walk(this.roots);
  }

  async #load(node, key) {
    if (!this.known.has(key)) this.known.set(key, await this.childrenOf(node));
    return this.known.get(key);
  }

  async toggle(node, open) {
    const key = this.nodeKey(node);
    if (open && this.hasChildren(node)) {
      try {
        await this.#load(node, key);
        this.open.add(key);
      } catch (e) {
        toast(`${e.message} ${e.todo ?? ""}`, true);
      }
    } else {
      this.open.delete(key);
    }
    this.paint();
  }

  /** Opens from a node down along the first child for as long as that child has at least half of it. */
  async openHottest(node, weight) {
    for (let at = node, steps = 0; at && this.hasChildren(at) && steps < 60; steps++) {
      const key = this.nodeKey(at);
      const children = await this.#load(at, key);
      this.open.add(key);
      const next = children[0];
      at = next && weight(next) >= weight(at) / 2 ? next : null;
    }
    this.paint();
  }

  current() {
    return [...this.body.rows].find((tr) => tr.dataset.key === this.selected)?.item ?? null;
  }

  select(key) {
    this.selected = String(key);
    this.#mark(false);
  }

  paint() {
    const focused = this.body.contains(document.activeElement);
    const rows = [];
    this.#rows(this.roots, 1, "", rows);
    if (!rows.length) rows.push(el("tr", { class: "none" }, el("td", { colspan: this.columns.length }, this.empty)));
    replace(this.body, rows);
    this.#mark(focused);
  }

  #rows(nodes, level, parent, out) {
    const limit = this.limits.get(parent) ?? LIMIT;
    for (const node of nodes.slice(0, limit)) {
      const key = String(this.nodeKey(node));
      const open = this.open.has(this.nodeKey(node));
      out.push(this.#row(node, key, level, open));
      if (open) this.#rows(this.known.get(this.nodeKey(node)) ?? [], level + 1, key, out);
    }
    if (nodes.length > limit) out.push(this.#moreRow(parent, level, nodes.length - limit));
  }

  #moreRow(parent, level, left) {
    const more = () => { this.limits.set(parent, (this.limits.get(parent) ?? LIMIT) + 400); this.paint(); };
    return el("tr", { class: "more" }, el("td", { colspan: this.columns.length, vars: { "--level": level } },
      el("button", { type: "button", class: "btn quiet", on: { click: more } }, `${counted(left, "smaller one")} more`)));
  }

  #row(node, key, level, open) {
    const can = this.hasChildren(node);
    const tr = el("tr", { role: "row", tabindex: -1, "aria-level": level, "aria-expanded": can ? open : null, data: { key } },
      this.columns.map((c, i) => this.#cell(c, node, i === 0, level, can)));
    tr.item = node;
    return tr;
  }

  #cell(c, node, first, level, can) {
    const bar = c.bar && el("i", { class: "bar", vars: { "--w": c.bar(node).toFixed(4) } });
    if (!first) return el("td", { role: "gridcell", class: c.num ? "n" : "" }, bar, el("span", {}, c.cell(node)));
    return el("td", { role: "gridcell", class: "tree m", vars: { "--level": level } },
      el("span", { class: can ? "twist can" : "twist", "aria-hidden": "true" }), c.cell(node));
  }

  #mark(focus) {
    const rows = [...this.body.rows].filter((tr) => tr.item);
    let current = rows.find((tr) => tr.dataset.key === this.selected);
    for (const tr of rows) {
      tr.setAttribute("aria-selected", tr === current);
      tr.tabIndex = -1;
    }
    current ??= rows[0];
    if (!current) return;
    current.tabIndex = 0;
    if (focus) current.focus({ preventScroll: true });
  }

  #choose(tr) {
    this.selected = tr.dataset.key;
    this.#mark(true);
    tr.scrollIntoView({ block: "nearest" });
    this.onSelect?.(tr.item);
  }

  #click(e) {
    if (e.target.closest("button, a")) return;
    const tr = e.target.closest("tr");
    if (!tr?.item) return;
    if (e.target.closest(".twist")) this.toggle(tr.item, tr.getAttribute("aria-expanded") !== "true");
    this.#choose(tr);
  }

  #key(e) {
    const tr = e.target.closest("tr");
    if (!tr?.item) return;
    const rows = [...this.body.rows].filter((r) => r.item);
    const at = rows.indexOf(tr);
    const open = tr.getAttribute("aria-expanded") === "true";
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, PageDown: at + 12, PageUp: at - 12 };
    if (e.key in steps) this.#choose(rows[Math.max(0, Math.min(rows.length - 1, steps[e.key]))]);
    else if (e.key === "ArrowRight") { if (open) this.#choose(rows[Math.min(rows.length - 1, at + 1)]); else this.toggle(tr.item, true); }
    else if (e.key === "ArrowLeft") { if (open) this.toggle(tr.item, false); else this.#parent(rows, at); }
    else if (e.key === "Enter") this.onOpen?.(tr.item);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  #parent(rows, at) {
    const level = Number(rows[at].getAttribute("aria-level"));
    for (let i = at - 1; i >= 0; i--) if (Number(rows[i].getAttribute("aria-level")) < level) return this.#choose(rows[i]);
  }
}
