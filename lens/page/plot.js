// SPDX-License-Identifier: Apache-2.0
// A small plot over time for the overview: lines, filled lines, stacks or bars with their scale, and a cross hair that all plots share.

import { el, replace, sizedCanvas, token } from "./dom.js";
import { niceStep } from "./format.js";
import { nearest } from "./timeline.js";

const LEFT = 4;
const TOP = 8;

export class Plot {
  /** series: [{name, key, colour, fill}]; format(value) with unit; stack: whether they are heaped; least: the scale goes
   *  at least so far; beside: {key, name, format} of a value that is only written. */
  constructor({ title, series, format, stack = false, onHover, onOpen, least = 0, beside }) {
    Object.assign(this, { series, format, stack, onHover, least, beside });
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.figure = el("b", { class: "figure" });
    this.values = el("div", { class: "plot-values" });
    this.node = el("button", { type: "button", class: "plot", "aria-label": title, on: { click: onOpen } },
      el("span", { class: "plot-title" }, title), this.figure, this.canvas, this.values);
    this.canvas.addEventListener("pointermove", (e) => this.#hover(e));
    this.canvas.addEventListener("pointerleave", () => onHover(null));
    this.surface = sizedCanvas(this.canvas, (ctx, w, h) => this.#paint(ctx, w, h));
    this.cross = null;
  }

  destroy() {
    this.surface.stop();
  }

  set(t, columns, range) {
    Object.assign(this, { t, columns, range });
    this.known = this.series.filter((s) => columns[s.key]?.some((v) => v !== null));
    this.#text(t.length - 1);
    this.surface.soon();
  }

  showCross(t) {
    this.cross = t;
    if (this.t?.length) this.#text(t === null ? this.t.length - 1 : nearest(this.t, t));
    this.surface.soon();
  }

  #text(i) {
    const value = (s) => this.columns[s.key][i] ?? lastKnown(this.columns[s.key], i);
    const first = this.known[0];
    this.figure.textContent = first ? this.format(value(first)) : "nothing yet";
    replace(this.values, this.known.map((s) => el("span", {}, el("i", { class: "swatch line", vars: { "--c": `var(${s.colour})` } }),
      this.known.length > 1 ? `${s.name} ${this.format(value(s))}` : s.name)), this.beside && el("span", {}, `${this.beside.name} ${this.beside.format(lastKnown(this.columns[this.beside.key] ?? [], i))}`));
  }

  #top() {
    let most = this.least;
    for (let i = 0; i < this.t.length; i++) {
      let sum = 0;
      for (const s of this.known) {
        const v = this.columns[s.key][i] ?? 0;
        sum = this.stack ? sum + v : Math.max(sum, v);
      }
      most = Math.max(most, sum);
    }
    const step = niceStep(most || 1, 2);
    return { top: Math.max(step, Math.ceil(most / step) * step), step };
  }

  #paint(ctx, w, h) {
    ctx.clearRect(0, 0, w, h);
    if (!this.t?.length || !this.known.length) return;
    const { top, step } = this.#top();
    const y = (v) => h - 1 - (v / top) * (h - TOP - 1);
    const x = (t) => ((t - this.range[0]) / (this.range[1] - this.range[0])) * w;
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "top";
    for (let v = step; v <= top; v += step) this.#grid(ctx, y(v), w);
    const base = new Float64Array(this.t.length);
    for (const s of this.known) this.#serie(ctx, s, base, x, y);
    for (let v = step; v <= top; v += step) this.#scale(ctx, y(v), this.format(v));
    if (this.cross !== null) {
      ctx.fillStyle = token("--soft");
      ctx.fillRect(Math.round(x(this.cross)), 0, 1, h);
    }
  }

  #grid(ctx, y, w) {
    ctx.fillStyle = token("--line");
    ctx.fillRect(0, Math.round(y), w, 1);
  }

  #scale(ctx, y, text) {
    ctx.lineJoin = "round";
    ctx.lineWidth = 3;
    ctx.strokeStyle = token("--pane");
    ctx.strokeText(text, LEFT, Math.round(y) + 2);
    ctx.fillStyle = token("--soft");
    ctx.fillText(text, LEFT, Math.round(y) + 2);
  }

  /** Draws what is known; where nothing was read there is neither zero nor a gap but the line between the readings. */
  #serie(ctx, s, base, x, y) {
    const values = this.columns[s.key];
    const colour = token(s.colour);
    const known = [...this.t.keys()].filter((i) => values[i] !== null);
    const top = (i) => (this.stack ? base[i] : 0) + values[i];
    const trace = () => known.forEach((i, k) => (k ? ctx.lineTo(x(this.t[i]), y(top(i))) : ctx.moveTo(x(this.t[i]), y(top(i)))));
    if (s.fill || this.stack) {
      ctx.fillStyle = colour;
      ctx.globalAlpha = this.stack ? 0.75 : 0.22;
      ctx.beginPath();
      trace();
      for (const i of known.toReversed()) ctx.lineTo(x(this.t[i]), y(this.stack ? base[i] : 0));
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.4;
    ctx.beginPath();
    trace();
    ctx.stroke();
    if (this.stack) for (const i of known) base[i] = top(i);
  }

  #hover(e) {
    if (!this.t?.length) return;
    const box = this.canvas.getBoundingClientRect();
    this.onHover(this.range[0] + ((e.clientX - box.left) / box.width) * (this.range[1] - this.range[0]));
  }
}

/** The value at i, or the last one known before it. */
function lastKnown(values, i) {
  for (let k = i; k >= 0; k--) if (values[k] !== null && values[k] !== undefined) return values[k];
  return NaN;
}
