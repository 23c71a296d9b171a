// SPDX-License-Identifier: Apache-2.0
// Coverage: which lines and branches were reached, live?

import { button, el, replace } from "./dom.js";
import { count, share } from "./format.js";
import { newest } from "./api.js";
import { Frame, heading } from "./frame.js";
import { matching } from "./table.js";
import { TreeTable } from "./treetable.js";
import { listing } from "./source.js";
import { markNow, sinceMark } from "./view_alloc.js";

export const coverage = {
  id: "coverage", title: "Coverage", key: "9",
  verbs: ["coverage"],
  question: "Which lines and branches were reached?",
  idle: "Puts a breakpoint at every line and takes it away at the first hit: no class is changed, and a line that was hit costs nothing again.",
  options: [
    { name: "include", label: "Packages", initial: "", placeholder: "com.acme.*, *Service", hint: "Empty: all but the class library. A leading - leaves out." },
    { name: "branches", label: "Branches (dear in hot code)", initial: "0", check: true },
    { name: "counts", label: "Count how often (costs at each hit)", initial: "0", check: true },
  ],
  start: (o) => [["coverage", { include: o.include || "*", branches: o.branches, counts: o.counts }]],
  exports: ["jacoco", "lcov", "csv", "json"],
  create: () => new Coverage(),
};

const MARKS = { hit: "✓", part: "◐", missed: "✗" };
const WORDS = { hit: "reached", part: "reached, but not all ways of its branch", missed: "not reached" };

class Coverage {
  constructor() {
    this.ask = newest();
    this.askSource = newest();
    this.since = false;
    this.words = "";
    this.tree = new TreeTable({
      label: "Packages and classes", nodeKey: (n) => n.key, hasChildren: (n) => Boolean(n.classes), children: (n) => n.classes, onSelect: (n) => !n.classes && this.#source(n.name),
      onOpen: (n) => (n.classes ? this.tree.toggle(n, true) : this.#source(n.name)), empty: "No class of the packages chosen is loaded yet.",
      columns: [
        { title: "package, class", cell: (n) => el("span", { class: "name" }, n.title) },
        { title: "lines", num: true, cell: (n) => `${count(n.hit)} of ${count(n.lines)}` },
        { title: "reached", num: true, cell: (n) => (n.lines ? share(n.hit / n.lines) : "no lines"), bar: (n) => n.hit / (n.lines || 1) },
        { title: "branches", num: true, cell: (n) => (n.branches ? `${count(n.taken)} of ${count(n.branches)}` : "none") },
      ],
    });
    this.sourceBox = el("div", {}, el("p", { class: "hint" }, "Choose a class: its source with marks for each line stands here."));
    this.frame = new Frame({
      id: "coverage", main: this.tree.node, right: this.sourceBox,
      tools: [sinceMark((on) => { this.since = on; this.refresh(); }), button("Mark now", markNow, { key: "M" }), button("Next missed line", () => this.nextMissed(), { key: "N" })],
      find: { placeholder: "Find a class", onFind: (words) => { this.words = words; this.#show(); } },
    });
  }

  destroy() {}

  key(e) {
    if (e.key.toLowerCase() !== "n") return false;
    this.nextMissed();
    return true;
  }

  async refresh() {
    return this.frame.ask(async () => {
      const answer = await this.ask("coverage", { since: this.since ? "mark" : undefined });
      if (!answer) return null;
      this.frame.how(answer.how);
      this.packages = answer.packages;
      this.#show();
      if (this.shown) this.#source(this.shown);
      return answer.packages.length > 0;
    });
  }

  #show() {
    const packages = (this.packages ?? []).map((p) => {
      const classes = matching(p.classes, this.words, (c) => [c.name]).map((c) => ({ ...c, key: `c${c.name}`, title: c.name.slice(p.name ? p.name.length + 1 : 0) || c.name }));
      return { key: `p${p.name}`, title: p.name || "without a package", ...sums(classes), classes: classes.sort((a, b) => b.lines - b.hit - (a.lines - a.hit)) };
    }).filter((p) => p.classes.length);
    packages.sort((a, b) => b.lines - b.hit - (a.lines - a.hit));
    if (this.words.trim()) packages.forEach((p) => this.tree.open.add(p.key));
    else if (!this.tree.open.size && packages.length) this.tree.open.add(packages[0].key);
    const all = sums(packages);
    this.frame.found(packages.length ? `${share(all.hit / (all.lines || 1))} of ${count(all.lines)} lines${all.branches ? `, ${share(all.taken / all.branches)} of ${count(all.branches)} branches` : ""}` : "");
    this.tree.set(packages);
    if (!this.shown && packages.length) {
      this.tree.select(packages[0].classes[0].key);
      this.#source(packages[0].classes[0].name);
    }
  }

  async #source(name) {
    const again = this.shown === name;
    this.shown = name;
    const answer = await this.askSource("coverage_source", { class: name }).catch((e) => ({ failed: e }));
    if (!answer) return;
    if (answer.failed) return replace(this.sourceBox, el("p", { class: "hint" }, answer.failed.message));
    const top = again ? this.list?.node.scrollTop ?? 0 : -1;
    this.missed = answer.lines.filter((l) => l.state !== "hit").map((l) => l.nr);
    this.line = 0;
    const hit = answer.lines.filter((l) => l.state !== "missed").length;
    replace(this.sourceBox, heading(name.slice(name.lastIndexOf(".") + 1), `${count(hit)} of ${count(answer.lines.length)} lines reached`), answer.text || answer.source ? null : this.#noSource(answer));
    this.list = listing(answer.source ?? placeholder(answer.lines), new Map(answer.lines.map((l) => [l.nr, this.#mark(l)])), `Source of ${name}`);
    this.sourceBox.append(this.list.node);
    if (top >= 0) this.list.node.scrollTop = top;
    else if (answer.lines.length) this.list.node.scrollTop = Math.max(0, (answer.lines[0].nr - 4) * 18);
  }

  #noSource(answer) {
    return el("p", { class: "hint" }, `The source was not found. Looked in: ${(answer.looked ?? []).join(", ") || "nowhere"}. Start \`lens\` with --source FOLDER or JAR; the lines are shown without their text.`);
  }

  #mark(l) {
    const branches = l.branches?.[1] ? `${l.branches[0]} of ${l.branches[1]} ways` : "";
    const text = l.count > 1 ? count(l.count) : MARKS[l.state];
    return { kind: l.state, text: l.state === "part" && branches ? `${MARKS.part} ${l.branches[0]}/${l.branches[1]}` : text, title: [WORDS[l.state], branches].filter(Boolean).join(", ") };
  }

  nextMissed() {
    if (!this.missed?.length) return;
    this.line = this.missed.find((nr) => nr > this.line) ?? this.missed[0];
    this.list.go(this.line);
    this.list.node.focus();
  }
}

function sums(list) {
  const sum = (key) => list.reduce((total, x) => total + (x[key] ?? 0), 0);
  return { lines: sum("lines"), hit: sum("hit"), branches: sum("branches"), taken: sum("taken") };
}

const placeholder = (lines) => Array.from({ length: Math.max(0, ...lines.map((l) => l.nr)) }, () => "").join("\n");
