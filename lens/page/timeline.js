// SPDX-License-Identifier: Apache-2.0
// The time line on top of every view: CPU, allocation and collections, and the brush that says which range all views show.
// Drag makes a brush, its edges and middle move it, a click outside takes it away, the wheel zooms, B, [ and ] do the same by keys.

import { el, hideTip, replace, showTip, sizedCanvas, toast, token } from "./dom.js";
import { byteRate, bytes, clock, cores, millis, niceTime } from "./format.js";
import { get } from "./api.js";
import { now, on, set, state } from "./state.js";

const AXIS = 18;
const LEAST = 20; // ms: no brush is narrower

export class TimeLine {
  constructor() {
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.handles = [0, 1].map((i) => this.#handle(i));
    this.brushBox = el("div", { class: "brush", hidden: true }, this.handles);
    this.legend = el("div", { class: "tl-legend" });
    this.words = el("span", { class: "tl-range" });
    this.node = el("section", { class: "timeline", "aria-label": "Time line: CPU, allocation, collections" }, this.canvas, this.brushBox, this.legend, this.words);
    this.span = null; // the range shown; null: all
    this.data = { t: [], series: {}, collections: [] };
    this.surface = sizedCanvas(this.canvas, (ctx, w, h) => this.#paint(ctx, w, h));
    new ResizeObserver(() => this.#placeBrush()).observe(this.node);
    on(["brush", "session", "mark", "baseline"], () => { this.#placeBrush(); this.surface.soon(); });
    this.#pointer();
  }

  range() {
    return this.span ?? [0, Math.max(1000, now())];
  }

  async refresh() {
    const [from, to] = this.range();
    try {
      this.data = await get("metrics", { from: Math.round(from), to: Math.round(to), points: 600 });
    } catch {
      return; // the state bar says what is wrong
    }
    this.#legendText();
    this.surface.soon();
    this.#placeBrush();
  }

  repaint() {
    this.surface.soon();
  }

  x(t) {
    const [from, to] = this.range();
    return ((t - from) / (to - from)) * this.node.clientWidth;
  }

  t(x) {
    const [from, to] = this.range();
    return Math.max(0, Math.min(now(), from + (x / this.node.clientWidth) * (to - from)));
  }

  #legendText() {
    const item = (name, text) => el("span", {}, el("i", { class: "swatch line", vars: { "--c": `var(${name})` } }), text);
    replace(this.legend, item("--acc", `CPU, 0 to ${this.#cores()} cores`), item("--warn", `allocation, 0 to ${byteRate(this.#top())}`), item("--gc", "collection"));
  }

  #cores() {
    return state.session?.cores || 1;
  }

  #top() {
    const most = Math.max(0, ...(this.data.series.allocation_rate ?? []).filter((v) => v !== null));
    if (!most) return 1e6;
    const step = 10 ** Math.floor(Math.log10(most));
    return Math.ceil((most * 1.05) / step) * step;
  }

  // Drawing

  #paint(ctx, w, h) {
    ctx.clearRect(0, 0, w, h);
    this.#paintAxis(ctx, w);
    const { t, series, collections } = this.data;
    const plot = { ctx, w, top: AXIS + 3, bottom: h, t };
    this.#area(plot, series.process_cpu, this.#cores());
    this.#line(plot, series.allocation_rate, this.#top(), token("--warn"));
    this.#line(plot, series.process_cpu, this.#cores(), token("--acc"));
    ctx.fillStyle = token("--gc");
    for (const gc of collections ?? []) {
      const ms = gc.ns / 1e6;
      const high = Math.min(h - AXIS, 4 + 8 * Math.log10(1 + ms)); // short ones hide nothing: 1 ms has 6 pixels, 100 ms 20
      ctx.fillRect(this.x(gc.t), h - high, Math.max(2, this.x(gc.t + ms) - this.x(gc.t)), high);
    }
    this.#dim(ctx, w, h);
    this.#base(ctx, h);
    if (state.mark !== null) this.#flag(ctx, this.x(state.mark), h, "mark");
    if (state.session?.ended) this.#flag(ctx, this.x(state.session.ended.t), h, "ended");
  }

  #paintAxis(ctx, w) {
    const [from, to] = this.range();
    const step = niceTime(to - from, w / 110);
    const start = state.session?.started ?? 0;
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    ctx.fillStyle = token("--soft");
    ctx.strokeStyle = token("--line");
    const offset = start % step;
    for (let t = Math.ceil((from + offset) / step) * step - offset; t <= to; t += step) {
      const x = this.x(t);
      const text = clock(start, t, step < 1000);
      const width = ctx.measureText(text).width;
      ctx.fillText(text, Math.min(Math.max(4, x - width / 2), w - width - 4), AXIS / 2);
      ctx.fillRect(Math.round(x), AXIS - 3, 1, 3);
    }
  }

  #points(plot, values, top) {
    const out = [];
    if (!values) return out;
    plot.t.forEach((t, i) => {
      if (values[i] !== null && values[i] !== undefined) out.push([this.x(t), plot.bottom - (Math.min(values[i], top) / top) * (plot.bottom - plot.top)]);
    });
    return out;
  }

  #area(plot, values, top) {
    const points = this.#points(plot, values, top);
    if (points.length < 2) return;
    const { ctx } = plot;
    ctx.fillStyle = token("--tlfill");
    ctx.beginPath();
    ctx.moveTo(points[0][0], plot.bottom);
    for (const [x, y] of points) ctx.lineTo(x, y);
    ctx.lineTo(points[points.length - 1][0], plot.bottom);
    ctx.fill();
  }

  #line(plot, values, top, colour) {
    const { ctx } = plot;
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.3;
    ctx.lineJoin = "round";
    ctx.beginPath();
    this.#points(plot, values, top).forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.stroke();
  }

  #dim(ctx, w, h) {
    if (!state.brush) return;
    const [a, b] = state.brush.map((t) => this.x(t));
    ctx.fillStyle = token("--veil");
    if (a > 0) ctx.fillRect(0, AXIS, a, h);
    if (b < w) ctx.fillRect(b, AXIS, w - b, h);
  }

  /** The range that Compare compares with, dashed. */
  #base(ctx, h) {
    if (!state.baseline) return;
    const [c, d] = state.baseline.map((t) => this.x(t));
    ctx.strokeStyle = token("--soft");
    ctx.setLineDash([4, 3]);
    ctx.strokeRect(c + 0.5, AXIS + 0.5, d - c, h - AXIS - 1);
    ctx.setLineDash([]);
  }

  #flag(ctx, x, h, text) {
    ctx.fillStyle = token("--soft");
    ctx.fillRect(Math.round(x), AXIS, 1, h);
    ctx.fillText(text, x + 4, AXIS + 8);
  }

  // The brush

  #handle(i) {
    const step = (e) => {
      const dir = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (!dir || !state.brush) return;
      e.preventDefault();
      e.stopPropagation();
      const by = ((this.range()[1] - this.range()[0]) / (e.shiftKey ? 20 : 200)) * dir;
      const next = [...state.brush];
      next[i] += by;
      this.#setBrush(next);
    };
    return el("span", { class: `handle h${i}`, role: "slider", tabindex: 0, "aria-label": i ? "End of the brushed range" : "Begin of the brushed range", on: { keydown: step } });
  }

  #setBrush(range) {
    const [a, b] = range[0] <= range[1] ? range : [range[1], range[0]];
    const from = Math.max(0, Math.min(a, now() - LEAST));
    set({ brush: [from, Math.min(now(), Math.max(b, from + LEAST))] });
  }

  #placeBrush() {
    const b = state.brush;
    this.brushBox.hidden = !b;
    this.words.textContent = b ? `${millis(b[1] - b[0])} brushed · Esc shows all` : "";
    if (!b) return;
    this.brushBox.style.setProperty("left", `${this.x(b[0])}px`);
    this.brushBox.style.setProperty("width", `${Math.max(2, this.x(b[1]) - this.x(b[0]))}px`);
    this.handles.forEach((h, i) => {
      h.setAttribute("aria-valuenow", Math.round(b[i]));
      h.setAttribute("aria-valuemin", 0);
      h.setAttribute("aria-valuemax", Math.round(now()));
      h.setAttribute("aria-valuetext", clock(state.session?.started ?? 0, b[i], true));
    });
  }

  /** B: makes a brush over the middle third, or goes to its first edge. */
  startBrush() {
    if (!now()) return toast("Nothing was recorded yet: there is no time to choose from.");
    const [from, to] = this.range();
    if (!state.brush) this.#setBrush([from + (to - from) / 3, from + ((to - from) * 2) / 3]);
    this.handles[0].focus();
  }

  /** [ and ]: moves the brush by a tenth of its width. */
  move(direction) {
    if (!state.brush) return this.startBrush();
    const [a, b] = state.brush;
    const by = Math.max(-a, Math.min(now() - b, ((b - a) / 10) * direction));
    set({ brush: [a + by, b + by] });
  }

  zoomTo(range) {
    this.span = range;
    this.refresh();
  }

  #pointer() {
    this.node.addEventListener("pointerdown", (e) => this.#grab(e));
    this.node.addEventListener("pointermove", (e) => this.#hover(e));
    this.node.addEventListener("pointerleave", hideTip);
    this.node.addEventListener("dblclick", () => this.zoomTo(null));
    this.node.addEventListener("wheel", (e) => this.#wheel(e), { passive: false });
  }

  #local(e) {
    return e.clientX - this.node.getBoundingClientRect().left;
  }

  #grab(e) {
    if (e.button || !now()) return;
    const begin = this.t(this.#local(e));
    const handle = e.target.closest(".handle");
    const old = state.brush;
    const inside = e.target.closest(".brush") && !handle;
    if (!handle) e.preventDefault();
    this.node.setPointerCapture(e.pointerId);
    let moved = false;
    const move = (m) => {
      const t = this.t(this.#local(m));
      if (!moved && Math.abs(this.x(t) - this.x(begin)) < 4) return;
      moved = true;
      if (handle) this.#setBrush(handle === this.handles[0] ? [t, old[1]] : [old[0], t]);
      else if (inside) this.#setBrush([old[0] + t - begin, old[1] + t - begin]);
      else this.#setBrush([begin, t]);
    };
    const up = () => {
      this.node.removeEventListener("pointermove", move);
      if (!moved && !handle && !inside) set({ brush: null });
    };
    this.node.addEventListener("pointermove", move);
    this.node.addEventListener("pointerup", up, { once: true });
  }

  #wheel(e) {
    if (!now()) return;
    e.preventDefault();
    const [from, to] = this.range();
    const at = this.t(this.#local(e));
    const k = e.deltaY > 0 ? 1.25 : 0.8;
    const next = [Math.max(0, at - (at - from) * k), Math.min(now(), at + (to - at) * k)];
    if (next[1] - next[0] < 50) return;
    this.zoomTo(next[0] <= 0 && next[1] >= now() ? null : next);
  }

  #hover(e) {
    const { t, series, collections } = this.data;
    if (e.buttons || !t.length || e.target.closest(".handle")) return hideTip();
    const at = this.t(this.#local(e));
    const i = nearest(t, at);
    const gc = (collections ?? []).find((c) => Math.abs(this.x(c.t) - this.x(at)) < 4);
    showTip(e.clientX, e.clientY, el("b", {}, clock(state.session.started, t[i], true)),
      el("div", {}, `CPU ${cores(series.process_cpu?.[i])}`), el("div", {}, `allocation ${byteRate(series.allocation_rate?.[i])}`),
      el("div", {}, `heap ${bytes(series.heap_used?.[i])}`), gc && el("div", {}, `collection of ${millis(gc.ns / 1e6)}`));
  }
}

/** The index of the value of the sorted list that is nearest to x. */
export function nearest(list, x) {
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (list[mid] < x) low = mid + 1;
    else high = mid;
  }
  return low > 0 && x - list[low - 1] < list[low] - x ? low - 1 : low;
}
