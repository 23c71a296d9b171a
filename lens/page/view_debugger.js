// SPDX-License-Identifier: Apache-2.0
// Debugger: opens a JDWP port in the running program, for jdb and IDEs.

import { button, el, facts, field, replace } from "./dom.js";
import { live, on, runningOrders, state } from "./state.js";
import { Frame, heading } from "./frame.js";
import { attempt, order, stopOrder } from "./orders.js";

export const debuggerView = {
  id: "debugger", title: "Debugger", key: "0",
  verbs: ["debugger"],
  question: "Stop it and step through it?",
  always: true,
  options: [],
  start: null,
  exports: [],
  create: () => new Debugger(),
};

class Debugger {
  constructor() {
    this.port = el("input", { type: "number", min: 0, max: 65535, value: 0, "aria-label": "Port" });
    this.body = el("div", { class: "debugger" });
    this.frame = new Frame({ id: "debugger", main: this.body });
    this.frame.how("Opens a port on 127.0.0.1 only. Whoever can reach it can do everything that the program can: close it when you are done.");
    this.off = on(["session"], () => this.#paint());
    this.#paint();
  }

  destroy() {
    this.off();
  }

  async refresh() {
    this.#paint();
    return true;
  }

  #paint() {
    const running = runningOrders(["debugger"])[0];
    const port = running?.values?.port;
    const shown = `${running?.id}/${port}/${live()}`;
    if (shown === this.shown) return;
    this.shown = shown;
    replace(this.body, running ? this.#opened(running, port) : this.#closed());
  }

  #closed() {
    if (!live()) return [heading("Nothing to debug"), el("p", {}, "There is no running program: this is what was recorded of one.")];
    return [heading("Not open"), el("p", {}, "The program runs at full speed until a debugger is connected and sets something."),
      el("div", { class: "row" }, field("Port", this.port, "0: any free one"), button("Open the debugger port", () => attempt(() => order("debugger", { port: String(this.port.value || 0) })), { kind: "primary" }))];
  }

  #opened(running, port) {
    if (!port) return [heading("Opening"), el("p", {}, "The agent is opening the port …")];
    const commands = [["jdb", `jdb -attach 127.0.0.1:${port}`], ["IntelliJ IDEA, Eclipse", `Remote JVM debug, host 127.0.0.1, port ${port}`], ["VS Code", `"request": "attach", "hostName": "127.0.0.1", "port": ${port}`]];
    return [heading(`Open: 127.0.0.1:${port}`, `process ${state.session.pid}`),
      facts(commands.map(([name, text]) => [name, el("span", { class: "copyline" }, el("code", {}, text), button("Copy", () => navigator.clipboard?.writeText(text), { kind: "quiet small", label: `Copy for ${name}` }))])),
      button("Close the port", () => attempt(() => stopOrder(running.id)))];
  }
}
