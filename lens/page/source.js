// SPDX-License-Identifier: Apache-2.0
// Java source on the page: a highlighter of its own, and a listing with marks or heat in the margin.

import { el } from "./dom.js";

const WORDS = new Set(("abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for goto if implements import " +
  "instanceof int interface long native new package private protected public return short static strictfp super switch synchronized this throw throws transient try void volatile " +
  "while true false null var record sealed permits yield non-sealed").split(" "));
const TOKEN = /\/\*|\/\/.*|"""|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|@[\w.]+|\b\d[\w.]*\b|[A-Za-z_$][\w$]*|[^\w"'/@]+|./g;

/** Lines of source as arrays of [kind, text]; kinds: "", "word", "text", "note", "number", "sign". */
function highlight(source) {
  let inside = null; // the end that a comment or text block waits for
  return source.split(/\r?\n/).map((line) => {
    const parts = [];
    let rest = line;
    while (rest) {
      if (inside) {
        const end = rest.indexOf(inside);
        const upTo = end < 0 ? rest.length : end + inside.length;
        parts.push([inside === "*/" ? "note" : "text", rest.slice(0, upTo)]);
        rest = rest.slice(upTo);
        if (end >= 0) inside = null;
        continue;
      }
      const consumed = scan(rest, parts);
      inside = consumed.inside;
      rest = rest.slice(consumed.length);
    }
    return parts;
  });
}

/** Takes tokens from the front of `text` until its end or until something begins that may go over lines. */
function scan(text, parts) {
  TOKEN.lastIndex = 0;
  for (let m; (m = TOKEN.exec(text));) {
    const token = m[0];
    if (token === "/*" || token === '"""') {
      parts.push([token === "/*" ? "note" : "text", token]);
      return { length: TOKEN.lastIndex, inside: token === "/*" ? "*/" : '"""' };
    }
    parts.push([kindOf(token), token]);
    if (TOKEN.lastIndex >= text.length) break;
  }
  return { length: text.length, inside: null };
}

function kindOf(token) {
  if (token.startsWith("//")) return "note";
  if (token[0] === '"' || token[0] === "'") return "text";
  if (token[0] === "@") return "sign";
  if (/^\d/.test(token)) return "number";
  return WORDS.has(token) ? "word" : "";
}

/** A listing: marks is a Map of line number to {kind, text, heat (0..1), title}. Answers {node, go(line)}. */
export function listing(source, marks = new Map(), label = "source") {
  const rows = highlight(source).map((parts, i) => {
    const nr = i + 1;
    const mark = marks.get(nr);
    return el("tr", { class: mark?.kind ? `l-${mark.kind}` : "", data: { line: nr }, vars: mark?.heat ? { "--heat": mark.heat.toFixed(3) } : {} },
      el("td", { class: "mark", title: mark?.title }, mark?.text ?? ""), el("th", { scope: "row" }, String(nr)),
      el("td", { class: "code" }, parts.map(([kind, text]) => (kind ? el("span", { class: `j-${kind}` }, text) : text))));
  });
  const node = el("div", { class: "listing", tabindex: 0, role: "region", "aria-label": label }, el("table", {}, el("tbody", {}, rows)));
  const go = (line) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, line - 1))];
    if (!row) return;
    for (const r of rows) r.classList.toggle("here", r === row);
    node.scrollTop = row.offsetTop - node.clientHeight / 3;
  };
  return { node, go };
}
