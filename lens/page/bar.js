// SPDX-License-Identifier: Apache-2.0
// The bar on top: which process, what is going on, what it costs, and the one main button.

import { button, el, replace, svg } from "./dom.js";
import { clock, counted, millis, share, shortMethod, stopwatch } from "./format.js";
import { download, get } from "./api.js";
import { isRunning, live, narrowed, runningOrders, state } from "./state.js";

const FORMATS = {
  collapsed: "Collapsed stacks", pprof: "pprof", speedscope: "speedscope", firefox: "Firefox Profiler", chrome: "Chrome trace", html: "Page in one file (HTML)", hprof: "Heap dump (HPROF)",
  csv: "Table (CSV)", lcov: "LCOV", jacoco: "JaCoCo XML", json: "JSON", lens: "Recording (.lens)",
};

export class Bar {
  /** main(): what the main button of the present view is: {text, run} or null; theme(): changes it; views: the table of
   *  views; about(): what of the view an export is of, as parameters. */
  constructor(node, { main, theme, views, about }) {
    Object.assign(this, { main, views, about });
    this.process = el("div", { class: "proc" });
    this.state = el("span", { class: "state", role: "status" });
    this.cost = el("small", { class: "cost" });
    this.lost = el("small", { class: "lost", title: "Records that came faster than they could be sent: they are counted in no view." });
    this.save = button("Save recording", () => download("export", { format: "lens" }));
    this.menuButton = el("button", { type: "button", class: "btn", "aria-haspopup": "menu", "aria-expanded": "false", on: { click: () => this.toggleExport() } }, "Export ▾");
    this.menu = el("div", { class: "menu right", role: "menu", hidden: true });
    this.menuBox = el("span", { class: "menubox" }, this.menuButton, this.menu);
    this.mainButton = el("span", { class: "mainbutton" });
    this.theme = button("◐", theme, { kind: "icon", title: "Light, dark or as the system (L)", label: "Light, dark or as the system" });
    replace(node, el("h1", {}, logo(), "Lens"), this.process, this.state, this.lost, this.cost, el("span", { class: "grow" }), this.save, this.menuBox, this.theme, this.mainButton);
    this.#menuKeys();
    setInterval(() => this.#tick(), 100);
    setInterval(() => this.askCost(), 5000);
  }

  paint() {
    const s = state.session;
    const named = s && s.mode !== "none";
    this.process.title = named ? `${s.main}, ${this.#about(s)}` : "";
    replace(this.process, named ? [el("b", {}, s.mode === "file" ? s.file : shortMethod(s.main)), el("small", {}, this.#about(s))] : el("small", {}, "no program yet"));
    this.save.hidden = !named || s.mode === "file";
    this.menuBox.hidden = !named;
    const main = named ? this.main() : null;
    replace(this.mainButton, main && button(main.text, main.run, { key: "R", kind: "primary" }));
    this.#tick();
  }

  #about(s) {
    const parts = [s.mode === "file" ? s.main : `process ${s.pid}`, `${shortVm(s.vm)} ${s.version}`, counted(s.cores, "core")];
    if (s.mode === "live" && s.up !== undefined) parts.push(`up ${millis(s.up)}`);
    return parts.join(" · ");
  }

  #tick() {
    const s = state.session;
    if (!s) return;
    const text = this.#words(s);
    const recording = text.startsWith("Recording");
    this.state.className = `state ${recording ? "rec" : s.ended || !state.connected ? "ended" : ""}`;
    if (this.shown !== text) {
      this.shown = text;
      replace(this.state, recording && el("i", { class: "dot" }), el("span", {}, text));
    }
  }

  #words(s) {
    if (!state.connected) return "No answer from Lens";
    if (s.mode === "none") return "";
    if (s.mode === "file") return "Recorded";
    if (s.ended) return `Program ended ${clock(s.started, s.ended.t)}`;
    const here = this.views.find((v) => v.id === state.view);
    const mine = here ? runningOrders(here.verbs) : [];
    const now = s.now + (performance.now() - (s.received ?? performance.now()));
    if (mine.length && here.id !== "overview") return `Recording ${here.title} ${stopwatch(Math.max(0, now - Math.min(...mine.map((o) => o.since))))}`;
    const names = this.views.filter((v) => v.id !== "overview" && v.verbs.some((verb) => s.orders.some((o) => o.verb === verb && isRunning(o)))).map((v) => v.title);
    if (names.length > 3) return `Recording ${names.length} views`;
    return names.length ? `Recording ${names.join(", ")}` : "Not recording";
  }

  async askCost() {
    if (!live()) return replace(this.cost);
    const costs = await get("costs").catch(() => null);
    const lost = state.session.lost;
    replace(this.lost, lost > 0 && `${counted(lost, "record")} lost`);
    return replace(this.cost, costs && `costs ${share(costs.lens.share)} of the program’s CPU`);
  }

  toggleExport(open = this.menu.hidden) {
    const view = this.views.find((v) => v.id === state.view);
    replace(this.menu, [...new Set([...(view?.exports ?? []), "lens"])].map((format) => el("button", {
      type: "button", role: "menuitem", tabindex: -1, on: { click: () => { this.#export(view, format); this.toggleExport(false); this.menuButton.focus(); } },
    }, FORMATS[format])));
    this.menu.hidden = !open;
    this.menuButton.setAttribute("aria-expanded", open);
    if (open) this.menu.firstChild.focus();
  }

  #export(view, format) {
    download("export", narrowed({ format, view: view.id, ...this.about() }));
  }

  #menuKeys() {
    this.menuBox.addEventListener("focusout", (e) => { if (!this.menuBox.contains(e.relatedTarget)) this.toggleExport(false); });
    this.menu.addEventListener("keydown", (e) => {
      const items = [...this.menu.children];
      const at = items.indexOf(document.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      if (step) items[(at + step + items.length) % items.length].focus();
      else if (e.key === "Escape") { this.toggleExport(false); this.menuButton.focus(); } else return;
      e.preventDefault();
      e.stopPropagation();
    });
  }
}

const shortVm = (name) => name.replace("OpenJDK", "HotSpot").replace(/ (64-Bit )?(Server|Client) VM/, "");

const logo = () => svg("svg", { width: 20, height: 20, viewBox: "0 0 20 20", fill: "none", stroke: "currentColor", "stroke-width": 2, "aria-hidden": "true" },
  svg("circle", { cx: 8.5, cy: 8.5, r: 6 }), svg("path", { d: "M13 13l5 5" }));
