// SPDX-License-Identifier: Apache-2.0
// A real table: sorted by a click on a head, arrow keys move, Enter opens. Rows are kept by key over refreshes, so that what is selected
// stays selected. A column is {key, title, hint, cell(row) -> text or element, value(row) -> number or text to sort by, num, bar(row) -> 0..1,
// wide, mono}.

import { el, replace } from "./dom.js";
import { count } from "./format.js";

const PAGE = 200;

export class Table {
  constructor({ label, columns, sort, rowKey, onSelect, onOpen, empty = "Nothing yet." }) {
    Object.assign(this, { columns, rowKey, onSelect, onOpen, emptyText: empty });
    this.rows = [];
    this.shown = PAGE;
    this.selected = null;
    this.sortKey = sort ?? null;
    this.descending = true;
    this.head = el("tr", {}, columns.map((c) => this.#headCell(c)));
    this.body = el("tbody");
    this.table = el("table", { "aria-label": label, data: { wide: columns.filter((c) => c.wide).length } }, el("thead", {}, this.head), this.body);
    this.foot = el("div", { class: "tablefoot" });
    this.node = el("div", { class: "tablebox" }, this.table, this.foot);
    this.body.addEventListener("keydown", (e) => this.#key(e));
    this.body.addEventListener("click", (e) => this.#click(e));
    this.body.addEventListener("dblclick", () => this.#open());
  }

  #headCell(c) {
    const cell = el("th", { scope: "col", class: classes(c), title: c.hint });
    if (!c.value) return append1(cell, c.title);
    return append1(cell, el("button", { type: "button", on: { click: () => this.sortBy(c.key) } }, c.title));
  }

  sortBy(key) {
    const column = this.columns.find((c) => c.key === key);
    this.descending = this.sortKey === key ? !this.descending : Boolean(column.num);
    this.sortKey = key;
    this.set(this.rows);
  }

  /** Shows rows (an array of objects), sorted. */
  set(rows) {
    this.rows = rows;
    const column = this.columns.find((c) => c.key === this.sortKey);
    this.order = column ? [...rows].sort(comparer(column, this.descending)) : rows;
    this.columns.forEach((c, i) => {
      const on = c === column;
      this.head.children[i].setAttribute("aria-sort", on ? (this.descending ? "descending" : "ascending") : "none");
    });
    this.#paint();
  }

  #paint() {
    const focused = this.body.contains(document.activeElement);
    if (!this.order.length) {
      const text = typeof this.emptyText === "function" ? this.emptyText() : this.emptyText;
      replace(this.body, el("tr", { class: "none" }, el("td", { colspan: this.columns.length }, text)));
    } else {
      replace(this.body, this.order.slice(0, this.shown).map((row) => this.#row(row)));
    }
    this.#mark(focused);
    const left = this.order.length - this.shown;
    replace(this.foot, left > 0 &&
      el("button", { type: "button", class: "btn quiet", on: { click: () => { this.shown += PAGE; this.#paint(); } } },
        `Show ${count(Math.min(PAGE, left))} more of ${count(this.order.length)}`));
  }

  #row(row) {
    const tr = el("tr", { tabindex: -1 }, this.columns.map((c) => {
      const content = c.cell(row);
      const bar = c.bar && el("i", { class: "bar", vars: { "--w": c.bar(row).toFixed(4) } });
      return el("td", { class: classes(c) }, bar, c.bar ? el("span", {}, content) : content);
    }));
    tr.row = row;
    return tr;
  }

  #mark(focus) {
    const rows = [...this.body.rows].filter((tr) => tr.row);
    let current = rows.find((tr) => this.rowKey(tr.row) === this.selected);
    for (const tr of rows) {
      tr.setAttribute("aria-selected", tr === current);
      tr.tabIndex = -1;
    }
    current ??= rows[0];
    if (!current) return;
    current.tabIndex = 0;
    if (focus) current.focus({ preventScroll: true });
  }

  select(key, focus = false) {
    this.selected = key;
    this.#mark(focus);
  }

  #click(e) {
    if (e.target.closest("button, a, input")) return;
    const tr = e.target.closest("tr");
    if (tr?.row) this.#choose(tr);
  }

  #choose(tr) {
    this.select(this.rowKey(tr.row), true);
    tr.scrollIntoView({ block: "nearest" });
    this.onSelect?.(tr.row);
  }

  #open() {
    const row = this.rows.find((r) => this.rowKey(r) === this.selected);
    if (row) (this.onOpen ?? this.onSelect)?.(row);
  }

  #key(e) {
    const tr = e.target.closest("tr");
    if (!tr?.row || e.target.closest("button, input")) return;
    const rows = [...this.body.rows];
    const at = rows.indexOf(tr);
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, PageDown: at + 12, PageUp: at - 12 }[e.key];
    if (target !== undefined) this.#choose(rows[Math.max(0, Math.min(rows.length - 1, target))]);
    else if (e.key === "Enter") { this.select(this.rowKey(tr.row), true); this.#open(); }
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
}

const classes = (c) => [c.num && "n", c.wide && "wide", c.mono && "m"].filter(Boolean).join(" ");
const append1 = (node, child) => { node.append(child); return node; };

function comparer(column, descending) {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const x = column.value(a);
    const y = column.value(b);
    if (typeof x === "string" || typeof y === "string") return sign * String(x).localeCompare(String(y));
    return sign * ((x ?? -Infinity) - (y ?? -Infinity));
  };
}

/** A name over its package, as tables of methods and classes show it. */
export const qualified = (short, rest) => [el("span", { class: "name", title: rest ? `${rest}.${short}` : short }, short), rest && " ", rest && el("span", { class: "pkg" }, rest)];

/** Rows of which one of the texts has the words sought; all rows for an empty search. */
export function matching(rows, words, texts) {
  const sought = words.trim().toLowerCase();
  return sought ? rows.filter((r) => texts(r).some((t) => String(t).toLowerCase().includes(sought))) : rows;
}
