// SPDX-License-Identifier: Apache-2.0
// Lanes over time: one line for each thread, spans in the colour and pattern of their kind. Only what is seen is drawn. The names at the left
// are a list that keys walk through; Left and Right move the moment, Enter picks it.

import { el, hideTip, replace, showTip, sizedCanvas, token } from "./dom.js";
import { clock, millis, niceTime } from "./format.js";
import { state } from "./state.js";

const LANE = 24;
const SPAN = 15;
const AXIS = 20;

/** kinds: {name: {colour: token, pattern: "solid" | "hatch" | "dots" | "lines" | "thin", text}}. */
export class Lanes {
  constructor({ label, kinds, onPick, describe }) {
    Object.assign(this, { kinds, onPick, describe });
    this.rows = [];
    this.range = [0, 1];
    this.selected = 0;
    this.moment = null;
    this.patterns = new Map();
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.list = el("ul", { class: "lane-names", role: "listbox", tabindex: 0, "aria-label": label });
    this.scroll = el("div", { class: "lane-scroll" }, this.list, el("div", { class: "lane-canvas" }, this.canvas));
    this.legend = el("div", { class: "legend" }, Object.values(kinds).map((k) => this.#key(k)));
    this.node = el("div", { class: "lanes" }, this.scroll);
    this.surface = sizedCanvas(this.canvas, (ctx, w, h) => this.#paint(ctx, w, h));
    this.#listen();
  }

  #key(kind) {
    return el("span", {}, el("i", { class: `swatch ${kind.pattern}`, vars: { "--c": `var(${kind.colour})` } }), kind.text);
  }

  destroy() {
    this.surface.stop();
    hideTip();
  }

  /** rows: [{id, name, note, spans: [{from, to, kind, ...}]}], spans in order of time. */
  set(rows, range) {
    this.rows = rows;
    this.range = range;
    this.selected = Math.min(this.selected, Math.max(0, rows.length - 1));
    replace(this.list, rows.map((row, i) => el("li", { role: "option", id: `lane-${i}`, "aria-selected": i === this.selected, title: row.name },
      el("span", { class: "name" }, row.name), row.note && el("small", {}, row.note))));
    this.node.style.setProperty("--lanes", rows.length);
    this.#mark();
    this.surface.soon();
  }

  #x(t, w) {
    return ((t - this.range[0]) / (this.range[1] - this.range[0])) * w;
  }

  #paint(ctx, w, h) {
    ctx.clearRect(0, 0, w, h);
    this.patterns.clear();
    const first = Math.max(0, Math.floor((this.scroll.scrollTop - AXIS) / LANE) - 1);
    const last = Math.min(this.rows.length, Math.ceil((this.scroll.scrollTop + this.scroll.clientHeight) / LANE) + 1);
    this.#axis(ctx, w, h);
    for (let i = first; i < last; i++) this.#lane(ctx, this.rows[i], AXIS + i * LANE + (LANE - SPAN) / 2, w);
    if (this.rows.length) this.#cursor(ctx, w);
  }

  #axis(ctx, w, h) {
    const [from, to] = this.range;
    const step = niceTime(to - from, w / 110);
    const start = state.session?.started ?? 0;
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    const offset = start % step;
    for (let t = Math.ceil((from + offset) / step) * step - offset; t <= to; t += step) {
      const x = Math.round(this.#x(t, w));
      ctx.fillStyle = token("--line");
      ctx.fillRect(x, AXIS - 4, 1, h);
      const text = clock(start, t, step < 1000);
      ctx.fillStyle = token("--soft");
      ctx.fillText(text, Math.min(x + 4, w - ctx.measureText(text).width - 2), AXIS / 2);
    }
  }

  #lane(ctx, row, y, w) {
    const [from, to] = this.range;
    for (let i = firstAfter(row.spans, from); i < row.spans.length && row.spans[i].from < to; i++) {
      const span = row.spans[i];
      const x = Math.max(0, this.#x(span.from, w));
      const right = Math.min(w, this.#x(span.to, w));
      const kind = this.kinds[span.kind];
      if (!kind) continue;
      const thin = kind.pattern === "thin";
      ctx.fillStyle = this.#fill(ctx, kind);
      ctx.fillRect(x, thin ? y + SPAN / 2 - 1.5 : y, Math.max(1, right - x), thin ? 3 : SPAN);
    }
  }

  #fill(ctx, kind) {
    if (!this.patterns.has(kind)) this.patterns.set(kind, makePattern(ctx, kind.pattern, token(kind.colour)));
    return this.patterns.get(kind);
  }

  #cursor(ctx, w) {
    const y = AXIS + this.selected * LANE;
    ctx.strokeStyle = token("--acc");
    ctx.lineWidth = 1;
    ctx.strokeRect(0.5, y + 1.5, w - 1, LANE - 3);
    if (this.moment === null) return;
    ctx.fillStyle = token("--acc");
    ctx.fillRect(Math.round(this.#x(this.moment, w)) - 1, y + 2, 2, LANE - 4);
  }

  /** The span of a row at t, or undefined. */
  spanAt(row, t) {
    const span = row.spans[firstAfter(row.spans, t)];
    return span && span.from <= t ? span : undefined;
  }

  #at(e) {
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor((e.clientY - box.top - AXIS) / LANE);
    const t = this.range[0] + ((e.clientX - box.left) / box.width) * (this.range[1] - this.range[0]);
    return { row, t };
  }

  pick(row, t) {
    this.selected = row;
    this.moment = t;
    this.#mark();
    this.surface.soon();
    this.onPick(this.rows[row], t, this.spanAt(this.rows[row], t));
  }

  #mark() {
    [...this.list.children].forEach((li, i) => li.setAttribute("aria-selected", i === this.selected));
    this.list.setAttribute("aria-activedescendant", `lane-${this.selected}`);
  }

  #listen() {
    this.scroll.addEventListener("scroll", () => this.surface.soon(), { passive: true });
    this.canvas.addEventListener("pointerleave", hideTip);
    this.canvas.addEventListener("pointermove", (e) => this.#hover(e));
    this.canvas.addEventListener("click", (e) => {
      const { row, t } = this.#at(e);
      if (this.rows[row]) this.pick(row, t);
    });
    this.list.addEventListener("click", (e) => {
      const i = [...this.list.children].indexOf(e.target.closest("li"));
      if (i >= 0) this.pick(i, this.moment ?? (this.range[0] + this.range[1]) / 2);
    });
    this.list.addEventListener("keydown", (e) => this.#press(e));
  }

  #hover(e) {
    const { row, t } = this.#at(e);
    const lane = this.rows[row];
    const span = lane && this.spanAt(lane, t);
    if (!span) return hideTip();
    showTip(e.clientX, e.clientY, el("b", {}, lane.name), el("div", {}, `${this.kinds[span.kind].text} for ${millis(span.to - span.from)}`),
      this.describe?.(span), el("div", { class: "soft" }, `from ${clock(state.session.started, span.from, true)}`));
  }

  #press(e) {
    if (!this.rows.length) return;
    const middle = this.moment ?? (this.range[0] + this.range[1]) / 2;
    const width = this.range[1] - this.range[0];
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    const rowBy = { ArrowUp: -1, ArrowDown: 1 }[e.key];
    if (by) this.pick(this.selected, Math.max(this.range[0], Math.min(this.range[1], middle + (by * width) / (e.shiftKey ? 10 : 100))));
    else if (rowBy) this.pick(Math.max(0, Math.min(this.rows.length - 1, this.selected + rowBy)), middle);
    else if (e.key === "Enter") this.pick(this.selected, middle);
    else return;
    e.preventDefault();
    e.stopPropagation();
    const top = this.selected * LANE;
    if (top < this.scroll.scrollTop) this.scroll.scrollTop = top;
    else if (top + LANE + AXIS > this.scroll.scrollTop + this.scroll.clientHeight) this.scroll.scrollTop = top + LANE + AXIS - this.scroll.clientHeight;
  }
}

/** The index of the first span that ends after t. */
function firstAfter(spans, t) {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (spans[mid].to > t) high = mid;
    else low = mid + 1;
  }
  return low;
}

const DRAW = {
  hatch: (c) => { c.globalAlpha = 0.3; c.fillRect(0, 0, 8, 8); c.globalAlpha = 1; c.lineWidth = 2; c.beginPath(); for (const d of [-8, 0, 8]) { c.moveTo(d, 8); c.lineTo(d + 8, 0); } c.stroke(); },
  dots: (c) => { c.globalAlpha = 0.25; c.fillRect(0, 0, 8, 8); c.globalAlpha = 1; for (const [x, y] of [[1, 1], [5, 5]]) c.fillRect(x, y, 2, 2); },
  lines: (c) => { c.globalAlpha = 0.25; c.fillRect(0, 0, 8, 8); c.globalAlpha = 1; c.fillRect(0, 1, 8, 1.5); c.fillRect(0, 5, 8, 1.5); },
};

function makePattern(ctx, pattern, colour) {
  if (!DRAW[pattern]) return colour;
  const tile = new OffscreenCanvas(8, 8);
  const c = tile.getContext("2d");
  c.fillStyle = colour;
  c.strokeStyle = colour;
  DRAW[pattern](c);
  return ctx.createPattern(tile, "repeat");
}
