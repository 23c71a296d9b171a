// SPDX-License-Identifier: Apache-2.0
// The five forms of a weighted call graph (flame graph, call tree, hot methods, callers, compare) over any data that the front serves as
// flame graphs. CPU, allocation sites, locks and exceptions use it.

import { el, replace, segmented, toast } from "./dom.js";
import { classOfMethod, clock, inUnit, packageOf, share, shortMethod } from "./format.js";
import { newest } from "./api.js";
import { narrowed, set, state } from "./state.js";
import { brushWords, Details, heading } from "./frame.js";
import { FlameGraph } from "./flame.js";
import { qualified, matching, Table } from "./table.js";
import { TreeTable } from "./treetable.js";
import { sourceDialog } from "./dialogs.js";

const FORMS = [["flame", "Flame graph"], ["tree", "Call tree"], ["hot", "Hot methods"], ["callers", "Callers"], ["compare", "Compare"]];

export class Flames {
  /** source(): {data, path, extra} of the flame graph asked for; hooks: {watch(name), exact(name)} offered beside a method. */
  constructor({ source, hooks = {}, label }) {
    Object.assign(this, { source, hooks });
    this.form = "flame";
    this.words = "";
    this.method = null;
    this.askFlame = newest();
    this.askHot = newest();
    this.askMethod = newest();
    this.segments = segmented("Form", FORMS, this.form, (form) => this.setForm(form));
    this.flame = new FlameGraph({ label, onSelect: (node, model) => this.#selectNode(node, model), onSearch: () => this.#found() });
    this.tree = new TreeTable({
      label: "Call tree", nodeKey: (n) => n.key, children: (n) => n.kids(), hasChildren: (n) => n.hasKids(), columns: this.#treeColumns(),
      onSelect: (n) => this.#selectName(n.name, n), onOpen: (n) => this.tree.openHottest(n, (x) => x.total),
    });
    this.hotMain = this.#hotTable("Hot methods");
    this.hotPane = this.#hotTable("Hot methods");
    this.details = new Details("Choose a frame or a method: its share, hottest lines and callers stand here.");
    this.body = el("div", { class: "forms" });
    this.paneHead = el("div");
    this.left = el("div", {}, this.paneHead, this.hotPane.node);
    this.paint();
  }

  destroy() {
    this.flame.destroy();
  }

  get legend() {
    return this.flame.legend;
  }

  setForm(form) {
    if (form === "compare" && !state.baseline) {
      if (!state.brush) {
        toast("Brush a range on the time line first: Compare sets what you brush next against it.");
        this.segments.select(this.form);
        return;
      }
      set({ baseline: state.brush, brush: null });
      toast("That range is the base now (dashed). Brush another one to compare it with; without a brush everything is compared.");
    }
    if (form !== "compare" && state.baseline) set({ baseline: null });
    this.form = form;
    this.segments.select(form);
    this.paint();
    this.refresh();
  }

  paint() {
    const graph = { flame: this.flame, callers: this.flame, compare: this.flame, tree: this.tree, hot: this.hotMain }[this.form];
    replace(this.body, graph.node);
  }

  /** Asks the front again; answers {how, samples} or null where nothing newer came. */
  async refresh(frame) {
    this.frame = frame ?? this.frame;
    return this.frame.ask(async () => {
      const [graph, hot] = await Promise.all([this.#askGraph(), this.askHot("hot", this.#params({ limit: 200 }))]);
      if (hot) this.#setHot(hot);
      if (!graph) return null;
      this.#setGraph(graph);
      return graph;
    });
  }

  #params(extra) {
    const { data, extra: more = {} } = this.source();
    return narrowed({ data, ...more, ...extra });
  }

  #askGraph() {
    if (this.form === "compare") {
      const b = state.baseline;
      const [from, to] = state.brush ?? [0, state.session.now];
      return this.askFlame("flame_diff", { ...this.#params(), from: undefined, to: undefined, from1: Math.round(b[0]), to1: Math.round(b[1]), from2: Math.round(from), to2: Math.round(to) });
    }
    if (this.form === "callers" && this.method) return this.askFlame("callers", this.#params({ method: this.method }));
    const { path = "flame" } = this.source();
    return this.askFlame(path, this.#params({ reverse: this.form === "callers" ? 1 : 0 }));
  }

  #setGraph(data) {
    this.frame.how(this.#howOf(data));
    this.unit = data.unit;
    this.flame.set(data);
    if (this.form === "tree") {
      this.tree.set(treeNodes(this.flame.model, 0));
    }
  }

  #howOf(data) {
    if (this.form === "callers") return this.method ? `Who called ${shortMethod(this.method)}, the method on top. ${data.how}` : `Each method on top, its callers below. ${data.how}`;
    if (this.form !== "compare") return data.how;
    const b = state.baseline;
    const at = (t) => clock(state.session.started, t);
    return `Base: ${at(b[0])} to ${at(b[1])}, compared ${brushWords()}; both scaled to equal sums. Blue became less, orange more. ${data.how}`;
  }

  #setHot(hot) {
    this.hotUnit = hot.unit;
    this.hotRows = hot.rows;
    this.#showHot();
    replace(this.paneHead, heading("Hot methods", brushWords()));
    const method = this.method ?? hot.rows[0]?.method;
    if (method && !this.details.node.contains(document.activeElement)) this.#selectName(method);
  }

  #showHot() {
    const rows = matching(this.hotRows ?? [], this.form === "hot" ? this.words : "", (r) => [r.method]);
    this.hotMain.set(rows);
    this.hotPane.set((this.hotRows ?? []).slice(0, 40));
  }

  find(words) {
    this.words = words;
    this.flame.find(words);
    this.#showHot();
  }

  findFirst() {
    const hit = this.flame.model?.firstHit() ?? -1;
    if (hit >= 0) { this.flame.select(hit); this.flame.box.focus(); }
  }

  #found() {
    if (!this.frame) return;
    const { frames, share: part } = this.flame.model.found;
    this.frame.found(this.words.trim() ? (frames ? `${frames} ${frames === 1 ? "frame" : "frames"}, ${share(part)}` : "not found") : "", frames > 0);
  }

  #hotTable(label) {
    const unit = () => this.hotUnit ?? "ns";
    const most = () => Math.max(1e-12, ...(this.hotRows ?? []).map((r) => r.share_self));
    return new Table({
      label, sort: "self", rowKey: (r) => r.method, onSelect: (r) => this.#selectName(r.method), onOpen: (r) => this.showCallers(r.method),
      empty: "No samples here yet. A wider brush or a busier program gives some.",
      columns: [
        { key: "method", title: "method", mono: true, wide: true, value: (r) => r.method, cell: (r) => qualified(shortMethod(r.method), packageOf(classOfMethod(r.method))) },
        { key: "selfv", title: "self", hint: "in the method itself", num: true, value: (r) => r.self, cell: (r) => inUnit(r.self, unit()) },
        { key: "self", title: "share", num: true, value: (r) => r.share_self, cell: (r) => share(r.share_self), bar: (r) => r.share_self / most() },
        { key: "total", title: "with callees", num: true, value: (r) => r.share_total, cell: (r) => share(r.share_total) },
      ],
    });
  }

  #treeColumns() {
    return [
      { title: "method", cell: (n) => qualified(shortMethod(n.name), packageOf(classOfMethod(n.name))) },
      { title: "with callees", num: true, cell: (n) => inUnit(n.total, n.unit) },
      { title: "share", num: true, cell: (n) => share(n.total / n.all), bar: (n) => n.total / n.all },
      { title: "self", num: true, cell: (n) => share(n.self / n.all) },
    ];
  }

  #selectNode(node, model) {
    if (node === 0) return this.details.clear();
    const all = model.total[0] || 1;
    this.#selectName(model.nameOf(node), { self: model.self[node], total: model.total[node], all, unit: model.unit });
  }

  /** Shows a method in the details; `here` are the numbers of the one frame chosen, where it was one. */
  async #selectName(name, here) {
    this.method = name;
    this.hotPane.select(name);
    this.hotMain.select(name);
    const row = (this.hotRows ?? []).find((r) => r.method === name);
    const unit = this.hotUnit ?? this.unit;
    const rows = [
      here && ["this frame", `${share(here.total / here.all)}, ${inUnit(here.total, here.unit)} with callees`],
      row && ["self", `${inUnit(row.self, unit)}, ${share(row.share_self)}`],
      row && ["with callees", `${inUnit(row.total, unit)}, ${share(row.share_total)}`],
    ];
    this.#details(name, rows);
    const more = await this.askMethod("method", this.#params({ method: name })).catch(() => null);
    if (more && this.method === name) this.#details(name, rows, more, unit);
  }

  #details(name, rows, more, unit) {
    const self = more?.self || 1;
    const lines = (more?.lines ?? []).filter((l) => l.line > 0).sort((a, b) => b.self - a.self);
    const heat = new Map(lines.map((l) => [l.line, l.self / self]));
    const found = more && [
      ["hottest lines", lines.slice(0, 3).map((l) => `line ${l.line} (${share(l.self / self)})`).join(", ") || "not known: no line table or no samples in it"],
      ["called from", this.#links(more.callers, unit, more.total)],
      ["calls", this.#links(more.callees, unit, more.total)],
    ];
    const isJava = classOfMethod(name) !== "";
    this.details.show(shortMethod(name), packageOf(classOfMethod(name)), [...rows, ...(found || [])], [
      isJava && ["Source", () => sourceDialog(classOfMethod(name), lines[0]?.line, heat)],
      ["Callers", () => this.showCallers(name)],
      ["Find in graph", () => { this.setForm("flame"); this.flame.selectName(name); }],
      isJava && this.hooks.watch && ["Watch calls", () => this.hooks.watch(name)],
      isJava && this.hooks.exact && ["Time exactly", () => this.hooks.exact(name)],
    ]);
  }

  #links(list, unit, total) {
    if (!list?.length) return "nothing seen";
    return el("span", { class: "linklist" }, list.slice(0, 4).map((c) => el("span", {},
      el("button", { type: "button", class: "link m", title: c.method, on: { click: () => this.#selectName(c.method) } }, shortMethod(c.method)),
      el("small", {}, ` ${share(c.value / (total || 1))}`))));
  }

  showCallers(name) {
    this.method = name;
    this.flame.zoomed = 0;
    this.setForm("callers");
  }
}

/** Nodes of the call tree below one of the model, made when they are opened. */
function treeNodes(model, parent) {
  const all = model.total[0] || 1;
  return [...model.children(parent)].map((node) => ({
    key: model.path(node).join("/"), name: model.nameOf(node), total: model.total[node], self: model.self[node], all, unit: model.unit,
    hasKids: () => model.children(node).length > 0, kids: () => treeNodes(model, node),
  }));
}
