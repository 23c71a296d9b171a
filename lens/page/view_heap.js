// SPDX-License-Identifier: Apache-2.0
// Heap: what fills it, and what keeps it there?

import { button, el, replace, segmented, toast } from "./dom.js";
import { bytes, clock, count, counted, duration, millis, packageOf, share, shortClass, signed } from "./format.js";
import { get, newest, post } from "./api.js";
import { live, on, state } from "./state.js";
import { Frame, heading } from "./frame.js";
import { matching, qualified, Table } from "./table.js";
import { TreeTable } from "./treetable.js";
import { askDialog, confirmDialog } from "./dialogs.js";
import { attempt } from "./orders.js";
import { HeapInspector } from "./heap_inspector.js";

export const heap = {
  id: "heap", title: "Heap", key: "6",
  verbs: ["heap", "import"],
  question: "What fills the heap, and what keeps it there?",
  idle: "Walks the heap once and works out what keeps what alive. The program stands during the walk; how long is said before it begins.",
  action: "Take a snapshot",
  options: [],
  start: null,
  exports: ["hprof", "csv", "json"],
  create: () => new Heap(),
};

const FORMS = [["dominators", "Dominators"], ["histogram", "Histogram"], ["strings", "Duplicate strings"], ["collections", "Collections"]];

/** Says what a walk will cost, and begins it when that is wanted. */
export async function takeSnapshot() {
  if (!live()) return toast("There is no live program to walk.");
  const plan = await attempt(() => post("heap/snapshot", { confirm: 0 }));
  if (!plan) return undefined;
  const content = [el("p", { class: "big" }, "The program stands for about ", el("b", {}, millis(plan.stop_ms)), "."),
    el("p", { class: "hint" }, plan.text || "An estimate from the heap's size. The walk can be stopped; what keeps what alive is worked out afterwards, while the program runs on.")];
  if (!(await confirmDialog("Take a heap snapshot?", content, "Take it"))) return undefined;
  return attempt(() => post("heap/snapshot", { confirm: 1 }));
}

async function importDump() {
  const file = await askDialog("Read a heap dump", "Path of an HPROF file on the machine where Lens runs", { yes: "Read it", hint: "Of any VM, of any age. What is broken in it is said, the rest is shown." });
  if (file) await attempt(() => post("heap/import", { file }));
}

class Heap {
  constructor() {
    this.form = "dominators";
    this.words = "";
    this.id = null;
    this.base = "";
    this.snapshots = [];
    this.asks = { histogram: newest(), strings: newest(), collections: newest() };
    this.rows = { histogram: [], strings: [], collections: [] };
    this.inspector = new HeapInspector(() => this.id);
    this.dominators = this.#dominators();
    this.tables = { histogram: this.#histogram(), strings: this.#strings(), collections: this.#collections() };
    this.instances = this.#instances();
    this.body = el("div");
    this.suspects = el("ul", { class: "suspects", "aria-label": "What keeps much" });
    this.left = el("div", {}, heading("Instances", "choose a class or an object above"));
    this.choice = el("select", { "aria-label": "Snapshot", on: { change: () => { this.id = Number(this.choice.value); this.#load(); } } });
    this.baseChoice = el("select", { "aria-label": "Compare with", on: { change: () => { this.base = this.baseChoice.value; this.#load(); } } });
    this.segments = segmented("Form", FORMS, this.form, (form) => { this.form = form; this.#layout(); this.#load(); });
    this.frame = new Frame({
      id: "heap", main: this.body, left: this.left, right: this.inspector.node,
      tools: [this.segments, el("label", { class: "inline" }, "of", this.choice), el("label", { class: "inline" }, "less", this.baseChoice),
        button("Read HPROF …", importDump)],
      find: { placeholder: "Find a class", onFind: (words) => { this.words = words; this.#show(); } },
    });
    this.off = on(["session"], () => this.#watchOrders());
    this.#layout();
  }

  destroy() {
    this.off();
  }

  about() {
    return { id: this.id };
  }

  /** A walk or an import that is done brings a new snapshot. */
  #watchOrders() {
    const done = (state.session?.orders ?? []).filter((o) => heap.verbs.includes(o.verb) && o.state === "done").map((o) => o.id).join();
    if (done !== this.done && this.done !== undefined) this.refresh(true);
    this.done = done;
  }

  open({ class: name }) {
    this.form = "histogram";
    this.segments.select(this.form);
    this.words = name;
    this.frame.input.value = name;
    this.#layout();
    this.wanted = name;
    this.refresh();
  }

  #layout() {
    replace(this.body, this.form === "dominators" ? [this.suspects, this.dominators.node] : this.tables[this.form].node);
    this.baseChoice.disabled = this.form !== "histogram";
  }

  async refresh(newestOne = false) {
    return this.frame.ask(async () => {
      const { snapshots } = await get("heap/snapshots");
      const same = snapshots.map((s) => s.id).join() === this.snapshots.map((s) => s.id).join();
      this.snapshots = snapshots;
      if (!snapshots.length) return false;
      if (newestOne || !snapshots.some((s) => s.id === this.id)) this.id = snapshots[snapshots.length - 1].id;
      this.#choices();
      if (!same || newestOne || this.wanted) await this.#load();
      return true;
    });
  }

  #choices() {
    const text = (s) => `${s.from === "hprof" ? "file" : clock(state.session.started, s.t)} · ${bytes(s.bytes)}`;
    replace(this.choice, this.snapshots.map((s) => el("option", { value: s.id, selected: s.id === this.id }, text(s))));
    replace(this.baseChoice, el("option", { value: "" }, "nothing"), this.snapshots.filter((s) => s.id !== this.id).map((s) => el("option", { value: s.id, selected: String(s.id) === this.base }, text(s))));
  }

  #current() {
    return this.snapshots.find((s) => s.id === this.id);
  }

  async #load() {
    const s = this.#current();
    if (!s) return;
    const origin = s.from === "hprof" ? "read from a heap dump" : `walked at ${clock(state.session.started, s.t)}, the program stood for ${duration(s.stop_ns)}`;
    const how = `Exact: ${counted(s.objects, "object")}, ${bytes(s.bytes)}, ${origin}; worked out in ${millis(s.analysed_ms)}.${s.whole ? "" : " The walk was stopped before its end: this is a part."}`;
    await this.frame.ask(async () => {
      if (this.form === "dominators") return this.#loadDominators(how);
      const answer = await this.asks[this.form](`heap/${this.form}`, { id: this.id, base: this.form === "histogram" ? this.base : undefined });
      if (!answer) return undefined;
      this.rows[this.form] = answer.rows;
      this.frame.how(`${how} ${answer.how ?? ""}${answer.wasted ? ` ${bytes(answer.wasted)} could be saved.` : ""}`);
      this.#show();
      return undefined;
    });
    if (this.wanted) this.#openWanted();
  }

  #openWanted() {
    const row = this.rows.histogram.find((r) => r.class === this.wanted);
    this.wanted = null;
    if (row) { this.tables.histogram.select(row.class); this.#showInstances(row.class); } else toast("No instance of that class is in this snapshot.");
  }

  async #loadDominators(how) {
    const [{ rows }, suspects] = await Promise.all([get("heap/dominators", { id: this.id, object: 0, limit: 500 }), get("heap/suspects", { id: this.id }).catch(() => ({ rows: [] }))]);
    replace(this.suspects, suspects.rows.slice(0, 3).map((s) => this.#suspect(s)));
    this.allBytes = this.#current().bytes;
    this.frame.how(`${how} “Retained” is what would be freed if the object went.`);
    this.dominators.set(rows);
    if (rows.length && !this.dominators.selected) {
      this.dominators.select(rows[0].object);
      this.#choose(rows[0]);
    }
  }

  /** One object, or all of one class, that keeps a tenth of the heap or more, in a sentence. */
  #suspect(s) {
    const look = () => (s.object ? this.inspector.show(s.gathers || s.object) : this.#showInstances(s.class));
    return el("li", {}, el("b", {}, share(s.share)), el("span", {}, s.text), el("button", { type: "button", class: "link", on: { click: look } }, "Look at it"));
  }

  #dominators() {
    return new TreeTable({
      label: "Dominators", nodeKey: (r) => r.object, hasChildren: (r) => (typeof r.children === "number" ? r.children > 0 : Boolean(r.children)),
      children: async (r) => (await get("heap/dominators", { id: this.id, object: r.object, limit: 500 })).rows,
      onSelect: (r) => this.#choose(r), onOpen: (r) => this.dominators.openHottest(r, (x) => x.retained), empty: "This heap has no objects.",
      columns: [
        { title: "object", cell: (r) => [qualified(shortClass(r.class), packageOf(r.class)), r.label && el("span", { class: "label" }, r.label)] },
        { title: "retained", hint: "what would be freed if the object went", num: true, cell: (r) => bytes(r.retained), bar: (r) => r.retained / (this.allBytes || 1) },
        { title: "of the heap", num: true, cell: (r) => share(r.retained / (this.allBytes || 1)) },
        { title: "itself", num: true, cell: (r) => bytes(r.bytes) },
      ],
    });
  }

  #choose(r) {
    this.inspector.show(r.object);
    this.#showInstances(r.class);
  }

  #histogram() {
    const most = (key) => Math.max(1, ...this.rows.histogram.map((r) => r[key] ?? 0));
    const delta = (key, format) => (r) => (r[key] === undefined || r[key] === null ? "" : r[key] === 0 ? "same" : signed(r[key], format));
    return new Table({
      label: "Histogram", sort: "retained", rowKey: (r) => r.class, onSelect: (r) => this.#showInstances(r.class), empty: "No class matches.",
      columns: [
        { key: "class", title: "class", wide: true, mono: true, value: (r) => r.class, cell: (r) => qualified(shortClass(r.class), packageOf(r.class)) },
        { key: "count", title: "objects", num: true, value: (r) => r.count, cell: (r) => count(r.count) },
        { key: "d_count", title: "change", hint: "against the snapshot chosen at “less”", num: true, value: (r) => r.d_count ?? 0, cell: delta("d_count", count) },
        { key: "bytes", title: "bytes", num: true, value: (r) => r.bytes, cell: (r) => bytes(r.bytes), bar: (r) => r.bytes / most("bytes") },
        { key: "d_bytes", title: "change", num: true, value: (r) => r.d_bytes ?? 0, cell: delta("d_bytes", bytes) },
        { key: "retained", title: "retained", hint: "what its objects keep alive together", num: true, value: (r) => r.retained ?? 0, cell: (r) => bytes(r.retained) },
      ],
    });
  }

  #strings() {
    return new Table({
      label: "Duplicate strings", sort: "wasted", rowKey: (r) => r.text, empty: "No two strings are equal.",
      columns: [
        { key: "text", title: "text", wide: true, mono: true, value: (r) => r.text, cell: (r) => el("span", { class: "clip" }, JSON.stringify(r.text)) },
        { key: "count", title: "copies", num: true, value: (r) => r.count, cell: (r) => count(r.count) },
        { key: "bytes", title: "bytes", num: true, value: (r) => r.bytes, cell: (r) => bytes(r.bytes) },
        { key: "wasted", title: "could be saved", num: true, value: (r) => r.wasted, cell: (r) => bytes(r.wasted), bar: (r) => r.wasted / Math.max(1, ...this.rows.strings.map((x) => x.wasted)) },
      ],
    });
  }

  #collections() {
    return new Table({
      label: "Collections", sort: "wasted", rowKey: (r) => r.class, onSelect: (r) => this.#showInstances(r.class), empty: "No collections were found.",
      columns: [
        { key: "class", title: "class", wide: true, mono: true, value: (r) => r.class, cell: (r) => qualified(shortClass(r.class), packageOf(r.class)) },
        { key: "count", title: "objects", num: true, value: (r) => r.count, cell: (r) => count(r.count) },
        { key: "empty", title: "empty", num: true, value: (r) => r.empty, cell: (r) => count(r.empty) },
        { key: "capacity", title: "places", num: true, value: (r) => r.capacity, cell: (r) => count(r.capacity) },
        { key: "fill", title: "filled", num: true, value: (r) => r.used / (r.capacity || 1), cell: (r) => share(r.used / (r.capacity || 1)), bar: (r) => r.used / (r.capacity || 1) },
        { key: "wasted", title: "unused", num: true, value: (r) => r.wasted, cell: (r) => bytes(r.wasted) },
      ],
    });
  }

  #show() {
    if (this.form === "dominators") return this.frame.found(this.words.trim() ? "choose another form to find in" : "");
    const rows = this.rows[this.form];
    const found = matching(rows, this.words, (r) => [r.class ?? r.text]);
    this.tables[this.form].set(found);
    this.frame.found(this.words.trim() ? `${count(found.length)} of ${count(rows.length)}` : "");
  }

  #instances() {
    return new Table({
      label: "Instances", sort: "retained", rowKey: (r) => r.object, onSelect: (r) => this.inspector.show(r.object), empty: "None.",
      columns: [
        { key: "label", title: "object", wide: true, mono: true, value: (r) => r.label ?? "", cell: (r) => el("span", { class: "clip" }, `#${r.object} ${r.label ?? ""}`) },
        { key: "bytes", title: "itself", num: true, value: (r) => r.bytes, cell: (r) => bytes(r.bytes) },
        { key: "retained", title: "retained", num: true, value: (r) => r.retained, cell: (r) => bytes(r.retained), bar: (r) => r.retained / Math.max(1, ...this.instances.rows.map((x) => x.retained)) },
      ],
    });
  }

  async #showInstances(name) {
    const answer = await get("heap/instances", { id: this.id, class: name, offset: 0, limit: 100 }).catch(() => null);
    if (!answer) return;
    const part = answer.of > answer.rows.length ? `the ${count(answer.rows.length)} that keep the most, of ${count(answer.of)}` : counted(answer.of, "object");
    replace(this.left, heading(`Instances of ${shortClass(name)}`, part), this.instances.node);
    this.instances.set(answer.rows);
  }
}
