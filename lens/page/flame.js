// SPDX-License-Identifier: Apache-2.0
// A flame graph (root above) on canvas. Only rows and frames that can be seen are drawn, neighbours below one pixel become one, so a drawing
// takes at most width x depth rectangles whatever the graph's size. The hidden tree beside the canvas holds the frames that are wide
// enough to be read: screen readers and tests use it, and it carries the focus.

import { el, hideTip, reducedMotion, replace, showTip, sizedCanvas } from "./dom.js";
import { inUnit, share, shortMethod } from "./format.js";
import { FlameModel } from "./flame_model.js";
import { colourOf, groupName, tokenOf } from "./palette.js";

const ROW = 19;
const FRAME = 18;
const TEXT_FROM = 40;
const CHAR = 6.62;
const IN_TREE = 400;
const ZOOM_MS = 110;

let serial = 0;

export class FlameGraph {
  /** onSelect(node, model) when the selection changes; onSearch(found) after each search. */
  constructor({ label, onSelect, onSearch }) {
    Object.assign(this, { onSelect, onSearch });
    this.id = `flame${++serial}`;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.tree = el("ul", { class: "hidden", role: "group" });
    this.box = el("div", { class: "flame", role: "tree", tabindex: 0, "aria-label": `${label}. Arrows move, Enter zooms in, Escape out.` }, this.canvas, this.tree);
    this.legend = el("div", { class: "legend" });
    this.nothing = el("p", { class: "hint nothing", hidden: true }, "Nothing of this kind was recorded in this range.");
    this.node = el("div", { class: "flamebox" }, this.nothing, this.box);
    this.model = null;
    this.selected = 0;
    this.zoomed = 0;
    this.trail = [];
    this.words = "";
    this.view = [0, 1];
    this.surface = sizedCanvas(this.canvas, (ctx, w, h) => this.#paint(ctx, w, h));
    this.#listen();
  }

  destroy() {
    this.surface.stop();
    hideTip();
  }

  /** Shows the answer of the front; selection and zoom stay at the same frames where they are still there. */
  set(data) {
    const selected = this.model?.path(this.selected) ?? [];
    const zoomed = this.model?.path(this.zoomed) ?? [];
    this.model = new FlameModel(data);
    this.selected = this.model.follow(selected);
    this.zoomed = this.model.follow(zoomed);
    this.model.search(this.words);
    this.nothing.hidden = this.model.count > 0 && this.model.weight(0) > 0;
    this.view = this.model.count ? this.#window(this.zoomed) : [0, 1];
    this.#resize();
    this.#legend();
    this.#refresh();
    this.onSearch?.(this.model.found);
  }

  find(words) {
    this.words = words.trim();
    if (!this.model) return;
    this.model.search(this.words);
    this.onSearch?.(this.model.found);
    this.#refresh();
  }

  selectName(name) {
    const m = this.model;
    let best = -1;
    for (let i = 0; i < m.count; i++) if (m.nameOf(i) === name && (best < 0 || m.weight(i) > m.weight(best))) best = i;
    if (best >= 0) this.select(best);
  }

  select(node, tell = true) {
    this.selected = node;
    const top = this.model.depth[node] * ROW;
    const box = this.node;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
    this.#refresh();
    if (tell) this.onSelect?.(node, this.model);
  }

  /** Shows a node over the whole width; Escape leads back to what was shown before when `keep`. */
  zoom(node, keep = true) {
    if (keep && node !== this.zoomed) this.trail.push(this.model.path(this.zoomed));
    this.zoomed = node;
    const target = this.#window(node);
    if (reducedMotion()) { this.view = target; return this.#refresh(); }
    const from = this.view;
    const begin = performance.now();
    const step = () => {
      const k = Math.min(1, (performance.now() - begin) / ZOOM_MS);
      this.view = from.map((x, i) => x + (target[i] - x) * (1 - (1 - k) ** 3));
      this.surface.draw();
      if (k < 1 && this.zoomed === node) requestAnimationFrame(step);
      else this.#refresh();
    };
    requestAnimationFrame(step);
  }

  #window(node) {
    const p = this.model.position[node];
    return [this.model.x0[p], Math.max(this.model.x1[p], this.model.x0[p] + 1e-9)];
  }

  #resize() {
    this.box.style.setProperty("--rows", this.model.height);
    this.surface.soon();
  }

  #refresh() {
    this.surface.soon();
    this.#hiddenTree();
  }

  // Drawing

  #paint(ctx, width, height) {
    ctx.clearRect(0, 0, width, height);
    const m = this.model;
    if (!m || !m.count) return;
    ctx.font = `11px ui-monospace, "DejaVu Sans Mono", monospace`;
    ctx.textBaseline = "middle";
    const scale = width / (this.view[1] - this.view[0]);
    this.ink = colourOf("--fink");
    this.top = this.node.scrollTop;
    const last = Math.min(m.height, Math.ceil((this.top + height) / ROW));
    for (let row = Math.floor(this.top / ROW); row < last; row++) this.#paintRow(ctx, row, scale, width);
    this.#outline(ctx, this.selected, scale, width, colourOf("--acc"), 2);
  }

  #paintRow(ctx, row, scale, width) {
    const m = this.model;
    const [from, to] = this.view;
    const end = m.rows[row + 1];
    const y = row * ROW - this.top;
    for (let p = m.firstBeyond(row, from); p < end && m.x0[p] < to;) {
      const x = Math.max(0, (m.x0[p] - from) * scale);
      const right = Math.min(width, (m.x1[p] - from) * scale);
      if (right - x >= 1.2) {
        this.#paintFrame(ctx, p, x, y, right - x);
        p++;
      } else {
        p = this.#paintDust(ctx, p, Math.min(end, Math.max(p + 1, m.firstBeyond(row, from + (x + 1) / scale))), x, y);
      }
    }
  }

  #paintFrame(ctx, p, x, y, w) {
    const m = this.model;
    const node = m.order[p];
    const hit = m.hasHit(p, p + 1);
    const covers = this.#covers(node);
    ctx.globalAlpha = covers ? 0.6 : 1;
    ctx.fillStyle = hit ? colourOf("--fh") : this.#colour(node);
    const gap = w > 3 ? 1 : 0.4;
    ctx.beginPath();
    ctx.roundRect(x, y, w - gap, FRAME, w > 5 ? 2 : 0);
    ctx.fill();
    ctx.globalAlpha = 1;
    if (w > TEXT_FROM) this.#text(ctx, node, x, y, w, hit);
  }

  #text(ctx, node, x, y, w, hit) {
    const room = Math.floor((w - 10) / CHAR);
    const text = this.#label(node);
    ctx.fillStyle = hit ? "#14181e" : this.ink;
    ctx.fillText(text.length > room ? `${text.slice(0, Math.max(1, room - 1))}…` : text, x + 5, y + FRAME / 2 + 0.5);
  }

  /** The frames from..to together are no wider than a pixel: one thin mark for all. */
  #paintDust(ctx, from, to, x, y) {
    const m = this.model;
    const hit = m.hasHit(from, to);
    ctx.fillStyle = hit ? colourOf("--fh") : this.#colour(m.order[from]);
    ctx.globalAlpha = hit ? 1 : 0.55;
    ctx.fillRect(x, y, 1, FRAME);
    ctx.globalAlpha = 1;
    return to;
  }

  #outline(ctx, node, scale, width, colour, line) {
    const m = this.model;
    const p = m.position[node];
    const x = Math.max(0, (m.x0[p] - this.view[0]) * scale);
    const right = Math.min(width, (m.x1[p] - this.view[0]) * scale);
    if (right <= 0 || x >= width || node === 0) return;
    ctx.strokeStyle = colour;
    ctx.lineWidth = line;
    ctx.strokeRect(x + line / 2, m.depth[node] * ROW - this.top + line / 2, Math.max(2, right - x - 1 - line), FRAME - line);
  }

  #covers(node) {
    return node !== this.zoomed && this.model.depth[node] < this.model.depth[this.zoomed];
  }

  #colour(node) {
    const m = this.model;
    if (!m.isDiff || node === 0) return colourOf(tokenOf(m.groupOf(node)));
    const change = m.change(node);
    const step = Math.min(3, Math.floor(Math.abs(change) * 8));
    return colourOf(step === 0 ? "--d0" : `--d${change > 0 ? "m" : "l"}${step}`);
  }

  #label(node) {
    const m = this.model;
    const name = shortMethod(m.nameOf(node));
    if (!m.isDiff) return name;
    const d = (m.total2[node] - m.total[node]) / (m.total[0] || 1);
    return Math.abs(d) < 0.0005 ? `= ${name}` : `${d > 0 ? "+" : "−"}${Math.abs(d * 100).toFixed(1)} % ${name}`;
  }

  #legend() {
    const m = this.model;
    if (!m.count) return replace(this.legend);
    if (m.isDiff) return replace(this.legend, this.#key("--dl3", "less"), this.#key("--d0", "the same"), this.#key("--dm3", "more"));
    const weights = new Map();
    for (let i = 1; i < m.count; i++) weights.set(m.groupOf(i), (weights.get(m.groupOf(i)) ?? 0) + m.self[i]);
    const seen = new Map();
    for (const [group, weight] of [...weights].sort((a, b) => b[1] - a[1])) {
      const name = tokenOf(group);
      if (!seen.has(name) && weight > 0) seen.set(name, groupName(name) ?? group);
    }
    replace(this.legend, [...seen].slice(0, 7).map(([name, text]) => this.#key(name, text)));
  }

  #key(name, text) {
    return el("span", {}, el("i", { class: "swatch", vars: { "--c": `var(${name})` } }), text);
  }

  // What readers and tests see

  describe(node) {
    const m = this.model;
    const all = m.total[0] || 1;
    if (!m.isDiff) return `${shortMethod(m.nameOf(node))}, ${share(m.total[node] / all)}, ${inUnit(m.total[node], m.unit)}`;
    return `${shortMethod(m.nameOf(node))}, ${share(m.total[node] / all)} before, ${share(m.total2[node] / (m.total2[0] || 1))} after`;
  }

  #hiddenTree() {
    clearTimeout(this.treeTimer);
    this.treeTimer = setTimeout(() => this.#fillTree(), 60);
  }

  #fillTree() {
    const m = this.model;
    if (!m?.count) return replace(this.tree);
    const least = (this.view[1] - this.view[0]) / 400;
    const items = [];
    for (let row = 0; row < m.height && items.length < IN_TREE; row++) {
      for (let p = m.firstBeyond(row, this.view[0]); p < m.rows[row + 1] && m.x0[p] < this.view[1] && items.length < IN_TREE; p++) {
        if (m.x1[p] - m.x0[p] >= least || m.order[p] === this.selected) items.push(this.#item(m.order[p], m.hasHit(p, p + 1)));
      }
    }
    replace(this.tree, items);
    this.box.setAttribute("aria-activedescendant", `${this.id}-${this.selected}`);
  }

  #item(node, hit) {
    const m = this.model;
    return el("li", {
      role: "treeitem", id: `${this.id}-${node}`, "aria-level": m.depth[node] + 1, "aria-selected": node === this.selected,
      "aria-label": this.describe(node) + (hit ? ", found" : ""),
      data: { node, name: m.nameOf(node), total: m.total[node], self: m.self[node], ...(hit ? { hit: 1 } : {}) },
    });
  }

  // Hands

  #listen() {
    this.canvas.addEventListener("pointermove", (e) => this.#hover(e));
    this.canvas.addEventListener("pointerleave", hideTip);
    this.canvas.addEventListener("click", (e) => { const n = this.#under(e); if (n >= 0) this.select(n); });
    this.canvas.addEventListener("dblclick", (e) => { const n = this.#under(e); if (n >= 0) this.zoom(n); });
    this.node.addEventListener("scroll", () => this.surface.soon(), { passive: true });
    this.box.addEventListener("keydown", (e) => this.#press(e));
  }

  #under(e) {
    if (!this.model?.count) return -1;
    const box = this.canvas.getBoundingClientRect();
    const x = this.view[0] + ((e.clientX - box.left) / box.width) * (this.view[1] - this.view[0]);
    return this.model.at(Math.floor((e.clientY - box.top + this.node.scrollTop) / ROW), x);
  }

  #hover(e) {
    const node = this.#under(e);
    this.canvas.classList.toggle("over", node >= 0);
    if (node < 0) return hideTip();
    const m = this.model;
    showTip(e.clientX, e.clientY, el("b", {}, m.nameOf(node)), ...this.#tipLines(node).map((text) => el("div", {}, text)));
  }

  #tipLines(node) {
    const m = this.model;
    const all = m.total[0] || 1;
    if (m.isDiff) {
      return [`before ${share(m.total[node] / all)}, ${inUnit(m.total[node], m.unit)}`,
        `after ${share(m.total2[node] / (m.total2[0] || 1))}, ${inUnit(m.total2[node], m.unit)} (scaled to equal sums)`];
    }
    return [`${share(m.total[node] / all)} of all, ${inUnit(m.total[node], m.unit)} with callees`, `${share(m.self[node] / all)}, ${inUnit(m.self[node], m.unit)} self`];
  }

  #press(e) {
    if (!this.model?.count || e.ctrlKey || e.altKey || e.metaKey) return;
    const m = this.model;
    const at = this.selected;
    const moves = {
      ArrowUp: () => (at ? m.parent[at] : 0), ArrowDown: () => (m.children(at).length ? m.children(at)[0] : -1),
      ArrowLeft: () => m.sibling(at, -1), ArrowRight: () => m.sibling(at, 1), Home: () => 0,
    };
    if (e.key in moves) {
      const node = moves[e.key]();
      if (node >= 0) this.select(node);
    } else if (e.key === "Enter") {
      this.zoom(at);
    } else if (e.key === "Escape" && this.zoomed) {
      this.zoom(m.follow(this.trail.pop() ?? []), false);
    } else {
      return;
    }
    e.preventDefault();
    e.stopPropagation();
  }
}
