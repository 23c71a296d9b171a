// SPDX-License-Identifier: Apache-2.0
// Elements without markup: the policy of the page forbids inline styles and scripts, so all is made here, and what varies
// goes through the CSSOM (`vars` sets custom properties). Text never becomes markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("aria-")) node.setAttribute(name, String(value));
    else if (value === false) continue;
    else if (name === "on") for (const [event, fn] of Object.entries(value)) node.addEventListener(event, fn);
    else if (name === "vars") for (const [key, v] of Object.entries(value)) node.style.setProperty(key, v);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

/** An element: el("a", {class: "x", href: "#", on: {click: fn}, vars: {"--w": "3"}}, "text", child, ...). */
export const el = (tag, props = {}, ...children) => fill(document.createElement(tag), props, children);
export const svg = (tag, props = {}, ...children) => fill(document.createElementNS(SVG, tag), props, children);

export function replace(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

export const kbd = (key) => el("kbd", {}, key);

/** A button; `key` is shown on it, `kind` is "", "primary", "quiet", "small" or "icon". */
export const button = (text, onClick, { key, kind = "", title, label, disabled } = {}) =>
  el("button", { class: `btn ${kind}`, type: "button", title, "aria-label": label, disabled, on: { click: onClick } },
    text, key && [" ", kbd(key)]);

/** One choice of several, shown side by side: options are [value, text] or [value, text, title]. */
export function segmented(label, options, current, onChange) {
  const group = el("div", { class: "seg", role: "radiogroup", "aria-label": label });
  const paint = (value) => {
    for (const b of group.children) {
      const on = b.dataset.value === value;
      b.setAttribute("aria-checked", on);
      b.tabIndex = on ? 0 : -1;
    }
  };
  const choose = (value, focus) => {
    paint(value);
    if (focus) [...group.children].find((b) => b.dataset.value === value).focus();
    onChange(value);
  };
  for (const [value, text, title] of options) {
    group.append(el("button", { type: "button", role: "radio", title, data: { value }, on: { click: () => choose(value) } }, text));
  }
  group.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    e.stopPropagation();
    const values = options.map((o) => o[0]);
    const at = values.indexOf(document.activeElement.dataset.value);
    choose(values[(at + step + values.length) % values.length], true);
  });
  paint(current);
  group.select = paint;
  return group;
}

/** A list of names and values: rows are [name, value] with a value that may be an element; empty ones are left out. */
export const facts = (rows) =>
  el("dl", { class: "facts" }, rows.filter((r) => r && r[1] !== null && r[1] !== undefined && r[1] !== "")
    .map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

export function field(label, input, hint) {
  return el("label", { class: "field" }, el("span", {}, label), input, hint && el("small", {}, hint));
}

let probe;
/** What a colour token of the style sheet is in the present theme, for canvas. */
export function token(name) {
  if (!probe) {
    probe = el("i", { class: "probe" });
    document.body.append(probe);
  }
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

const still = matchMedia("(prefers-reduced-motion: reduce)");
export const reducedMotion = () => still.matches;

/** A canvas of the size of its box, sharp on dense screens; paint(ctx, width, height) is called when the size changes. */
export function sizedCanvas(canvas, paint) {
  const ctx = canvas.getContext("2d");
  const draw = () => {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (!width || !height) return;
    const w = Math.round(width * ratio);
    const h = Math.round(height * ratio);
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(ctx, width, height);
  };
  let asked = 0;
  const soon = () => {
    if (!asked) asked = requestAnimationFrame(() => { asked = 0; draw(); });
  };
  const observer = new ResizeObserver(soon);
  observer.observe(canvas);
  return { draw, soon, stop: () => { observer.disconnect(); cancelAnimationFrame(asked); } };
}

/** At most one call in `ms`, the last one is not lost. */
export function throttle(fn, ms) {
  let timer = 0;
  let last = 0;
  return () => {
    if (timer) return;
    const wait = Math.max(0, last + ms - performance.now());
    timer = setTimeout(() => { timer = 0; last = performance.now(); fn(); }, wait);
  };
}

const tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
/** Shows what the pointer is on, beside it and within the window. */
export function showTip(x, y, ...content) {
  if (!tip.isConnected) document.body.append(tip);
  replace(tip, ...content);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = Math.min(x + 14, innerWidth - box.width - 8);
  const top = y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18;
  tip.style.setProperty("left", `${Math.max(8, left)}px`);
  tip.style.setProperty("top", `${Math.max(8, top)}px`);
}
export const hideTip = () => { tip.hidden = true; };

let toastTimer = 0;
/** A short word at the foot of the page, read aloud by screen readers. */
export function toast(text, failed = false) {
  const box = document.getElementById("toast");
  replace(box, text);
  box.className = failed ? "shown failed" : "shown";
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { box.className = ""; }, failed ? 9000 : 4000);
}
