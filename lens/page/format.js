// SPDX-License-Identifier: Apache-2.0
// Numbers as a person reads them: always with a unit, three digits that matter, never a bare count of bytes.

const NBSP = "\u00a0";
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const known = (x) => typeof x === "number" && Number.isFinite(x);
const UNKNOWN = "unknown";

function scaled(x, steps, units) {
  let i = 0;
  let v = Math.abs(x);
  while (i < steps.length && v >= steps[i] * 0.9995) v /= steps[i++];
  const digits = i === 0 && Number.isInteger(v) ? 0 : v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
  return `${x < 0 ? "−" : ""}${trim(v.toFixed(digits))}${NBSP}${units[i]}`;
}
const trim = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

export const bytes = (x) => (known(x) ? scaled(x, [1000, 1000, 1000, 1000], ["B", "kB", "MB", "GB", "TB"]) : UNKNOWN);
export const duration = (ns) => {
  if (!known(ns)) return UNKNOWN;
  if (Math.abs(ns) >= 120e9) return longDuration(ns / 1e9);
  return scaled(ns, [1000, 1000, 1000], ["ns", "µs", "ms", "s"]);
};
function longDuration(seconds) {
  const s = Math.round(seconds);
  const parts = [[Math.floor(s / 86400), "d"], [Math.floor(s / 3600) % 24, "h"], [Math.floor(s / 60) % 60, "min"], [s % 60, "s"]];
  const first = parts.findIndex((p) => p[0]);
  return parts.slice(first, first + 2).filter((p) => p[0]).map(([n, u]) => `${n}${NBSP}${u}`).join(" ");
}
export const millis = (ms) => duration(known(ms) ? ms * 1e6 : NaN);
export const count = (x) => (known(x) ? grouped.format(x) : UNKNOWN);
export const counted = (x, one, many = `${one}s`) => `${count(x)}${NBSP}${x === 1 ? one : many}`;
export const share = (x) => {
  if (!known(x)) return UNKNOWN;
  const p = x * 100;
  return `${p !== 0 && Math.abs(p) < 0.1 ? "<" + NBSP + "0.1" : p.toFixed(1)}${NBSP}%`.replace("-", "−");
};
export const rate = (x) => (known(x) ? `${scaled(x, [1000, 1000], ["", "k", "M"]).trim()}/s`.replace(`${NBSP}/s`, "/s") : UNKNOWN);
export const byteRate = (x) => (known(x) ? `${bytes(x)}/s` : UNKNOWN);
export const cores = (x) => (known(x) ? `${trim(x.toFixed(2))}${NBSP}${x === 1 ? "core" : "cores"}` : UNKNOWN);
export const signed = (x, format) => `${x > 0 ? "+" : ""}${format(x)}`;

/** A value of a graph's unit: "ns", "bytes", "calls", else a plain count with that word. */
export function inUnit(x, unit) {
  if (unit === "ns") return duration(x);
  if (unit === "bytes") return bytes(x);
  return `${count(x)}${NBSP}${unit}`;
}

const pad = (n) => String(n).padStart(2, "0");
/** Wall clock of the t milliseconds after `started`; `fine` adds milliseconds. */
export function clock(started, t, fine = false) {
  const d = new Date(started + t);
  const base = `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
  return fine ? `${base}.${String(d.getMilliseconds()).padStart(3, "0")}` : base;
}
/** Minutes and seconds of a recording that runs: 00:31.2. */
export const stopwatch = (ms) => `${pad(Math.floor(ms / 60000))}:${pad(Math.floor(ms / 1000) % 60)}.${Math.floor(ms / 100) % 10}`;

/** "Class.method" of "package.Class.method", or what stands there where it is no Java name. */
export function shortMethod(name) {
  const dot = name.lastIndexOf(".");
  if (dot <= 0 || /[\s/:(<]/.test(name.slice(0, dot))) return name;
  const before = name.lastIndexOf(".", dot - 1);
  return name.slice(before + 1);
}
export const shortClass = (name) => {
  const at = name.search(/\[\]/);
  const plain = at < 0 ? name : name.slice(0, at);
  return name.slice(plain.lastIndexOf(".") + 1);
};
export const packageOf = (name) => {
  const plain = name.replace(/[[\]]/g, "");
  const dot = plain.lastIndexOf(".");
  return dot < 0 ? "" : plain.slice(0, dot);
};
export const classOfMethod = (name) => name.slice(0, Math.max(0, name.lastIndexOf(".")));

/** Round steps of an axis: at most `most` of them between 0 and `top`. */
export function niceStep(top, most, base = 10) {
  const raw = top / Math.max(1, most);
  const power = base ** Math.floor(Math.log(raw) / Math.log(base));
  for (const m of [1, 2, 5, 10]) if (m * power >= raw) return m * power;
  return 10 * power;
}
const TIME_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5];
export const niceTime = (ms, most) => TIME_STEPS.find((s) => ms / s <= most) ?? 864e5;
