// SPDX-License-Identifier: Apache-2.0
// The page: which view is shown, in which state, and what makes it ask the front again.

import { el, hideTip, kbd, replace, throttle, toast } from "./dom.js";
import { get, isOneFile, listen, post } from "./api.js";
import { live, mergeOrder, on, runningOrders, set, state } from "./state.js";
import { bindKeys, KEYS } from "./keys.js";
import { onGo } from "./route.js";
import { attempt, failureOf, paintJobs, startView, stopView } from "./orders.js";
import { cannotPlace, choosePlace, damageNotice, endedNotice, failedNotice, idlePlace, lostNotice, waitingPlace } from "./places.js";
import { keysDialog } from "./dialogs.js";
import { forgetColours } from "./palette.js";
import { Bar } from "./bar.js";
import { TimeLine } from "./timeline.js";
import { overview } from "./view_overview.js";
import { cpu } from "./view_cpu.js";
import { alloc, markNow } from "./view_alloc.js";
import { locks } from "./view_locks.js";
import { takeDump, threads } from "./view_threads.js";
import { heap, takeSnapshot } from "./view_heap.js";
import { exceptions } from "./view_exceptions.js";
import { watch } from "./view_watch.js";
import { coverage } from "./view_coverage.js";
import { debuggerView } from "./view_debugger.js";

const VIEWS = [overview, cpu, alloc, locks, threads, heap, exceptions, watch, coverage, debuggerView];
const REFRESH_MS = 1500;
const place = (id) => document.getElementById(id);
const viewOf = (id) => VIEWS.find((v) => v.id === id) ?? overview;

let shown = null; // {view, controller, hasData} of the view on the page
let dismissed = 0;
let bar;
const timeLine = new TimeLine();

// Which view

function show(id, params = null) {
  const view = viewOf(id);
  if (location.hash !== `#${view.id}`) history.replaceState(null, "", `#${view.id}`);
  set({ view: view.id });
  hideTip();
  if (shown?.view !== view) {
    shown?.controller?.destroy();
    shown = { view, controller: null, hasData: undefined };
  }
  document.title = `${view.title} · ${state.session?.main ?? "Lens"}`;
  layout();
  if (params && shown.controller?.open) shown.controller.open(params);
}

/** Puts what fits the state of things into the view's place, and asks for its data. */
function layout() {
  paintNav();
  bar.paint();
  notices();
  const s = state.session;
  place("time").hidden = !s || s.mode === "none";
  if (!s || !shown) return;
  if (s.mode === "none") return choose();
  const can = s.views[shown.view.id] ?? { ok: true };
  if (!can.ok) return fill(s.mode === "file" ? idlePlace(shown.view) : cannotPlace(shown.view, can.why));
  shown.controller ??= shown.view.create();
  refresh();
}

const fill = (node) => { if (place("view").firstChild !== node) replace(place("view"), node); };

async function refresh() {
  const mine = shown;
  if (!mine?.controller) return;
  if (mine.hasData === undefined && !place("view").contains(mine.controller.frame.node)) fill(mine.controller.frame.node);
  const has = await mine.controller.refresh();
  if (shown !== mine) return;
  if (has !== null && has !== undefined) mine.hasData = mine.hasData || has;
  else if (mine.controller.frame.warning.hidden === false) mine.hasData = true;
  settle();
}

/** Idle, waiting or the view itself. */
function settle() {
  const { view, controller, hasData } = shown;
  if (!controller || hasData === undefined) return;
  if (hasData || view.always) return fill(controller.frame.node);
  const kind = runningOrders(view.verbs).length ? "waiting" : "idle";
  const now = place("view").firstChild;
  if (now?.dataset?.kind === `${view.id}/${kind}/${live()}/${Boolean(state.brush)}`) return;
  const node = kind === "waiting" ? waitingPlace(view) : idlePlace(view, mainAction()?.run);
  node.dataset.kind = `${view.id}/${kind}/${live()}/${Boolean(state.brush)}`;
  fill(node);
}

async function choose() {
  const answer = await attempt(() => get("jvms"));
  if (!answer) return;
  fill(choosePlace(answer, async (what, name) => {
    toast(what.pid ? `Loading the agent into ${name} …` : `Reading ${name} …`);
    const session = await attempt(() => post("open", what));
    if (session) takeSession(session);
  }, choose));
}

function notices() {
  const failed = shown && failureOf(shown.view);
  replace(place("notice"), !state.connected && lostNotice(), state.session?.ended && state.session.mode === "live" && endedNotice(), state.session && damageNotice(),
    failed && failed.id !== dismissed && failedNotice(failed, () => { dismissed = failed.id; notices(); }));
}

// The main button

function mainAction() {
  const view = shown?.view;
  if (!view || !live()) return null;
  if (view === heap) return { text: "Take a snapshot", run: takeSnapshot };
  if (!view.start) return null;
  if (runningOrders(view.verbs).length) return { text: "Stop", run: () => stopView(view) };
  return { text: `Record ${view.title}`, run: () => startView(view) };
}

function paintNav() {
  const nav = place("nav");
  if (!nav.children.length) {
    replace(nav, VIEWS.map((v) => el("a", { href: `#${v.id}`, data: { view: v.id }, title: v.question }, kbd(v.key), v.title, el("i", { class: "dot", title: "records", hidden: true }))));
  }
  for (const a of nav.children) {
    const view = viewOf(a.dataset.view);
    const here = view.id === state.view;
    if (here) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
    a.classList.toggle("cannot", state.session?.views?.[view.id]?.ok === false);
    a.querySelector(".dot").hidden = !live() || view === overview || !runningOrders(view.verbs).length;
  }
}

// What the front tells

function takeSession(session) {
  const before = state.session;
  const read = isOneFile ? { ...session, mode: "file", file: session.file || "saved page" } : session;
  const other = before?.pid !== session.pid || before?.mode !== session.mode || before?.file !== session.file;
  if (other) {
    shown?.controller?.destroy();
    shown = null;
    set({ brush: null, baseline: null, threads: [], mark: null }); // times and threads of the one before
  }
  set({ session: { ...read, received: performance.now() }, mark: session.mark || state.mark });
  paintJobs(place("jobs"));
  if (other) {
    state.threadNames.clear();
    timeLine.refresh();
    bar.askCost();
    learnThreads();
    return show(state.view);
  }
  paintNav();
  bar.paint();
  notices();
  if (shown?.hasData !== undefined) settle();
  return undefined;
}

/** Names of threads, for views whose records have only their ids. */
async function learnThreads() {
  const answer = await get("thread_cpu").catch(() => null);
  for (const t of answer?.threads ?? []) state.threadNames.set(t.id, t.name);
}

const refreshSoon = throttle(refresh, REFRESH_MS);
const timeSoon = throttle(() => timeLine.refresh(), 1000);

function events() {
  listen({
    session: takeSession,
    order: (o) => {
      mergeOrder(o);
      paintJobs(place("jobs"));
      paintNav();
      bar.paint();
      notices();
      if (shown?.hasData !== undefined) settle();
      if (shown?.view.verbs.includes(o.verb) && ["accepted", "done", "failed"].includes(o.state)) refreshSoon();
    },
    metrics: ({ t }) => {
      if (!state.session) return;
      if (t > state.session.now) set({ session: { ...state.session, now: t, received: performance.now() } });
      timeSoon();
      shown?.controller?.metrics?.();
    },
    watch: (h) => shown?.controller?.hit?.(h),
    data: (counts) => { if (shown && shown.view.id in counts && !state.brush) refreshSoon(); },
    lost: () => { if (state.connected) { set({ connected: false }); notices(); bar.paint(); } },
    found: async () => {
      if (state.connected) return;
      set({ connected: true });
      const session = await attempt(() => get("session"));
      if (session) { takeSession(session); refresh(); }
    },
  });
}

// Keys and theme

const THEMES = ["system", "light", "dark"];
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  try { localStorage.setItem("lens.theme", name); } catch { /* private windows forget it */ }
  forgetColours();
  timeLine.repaint();
  window.dispatchEvent(new Event("resize"));
  shown?.controller?.refresh();
}
function nextTheme() {
  const now = document.documentElement.dataset.theme || "system";
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  setTheme(next);
  toast(`Colours: ${next === "system" ? "as the system" : next}.`);
}

function escape(e) {
  if (state.brush) return set({ brush: null });
  return e.target.blur?.();
}

const HANDLERS = {
  ...Object.fromEntries(VIEWS.map((v) => [v.key, () => show(v.id)])),
  "/": () => shown?.controller?.frame.input?.focus(),
  r: () => mainAction()?.run(),
  b: () => timeLine.startBrush(),
  "[": () => timeLine.move(-1),
  "]": () => timeLine.move(1),
  m: () => (live() ? markNow() : false),
  t: takeDump,
  e: () => bar.toggleExport(true),
  l: nextTheme,
  "?": () => keysDialog(KEYS),
  Escape: escape,
  other: (e) => shown?.controller?.key?.(e) || false,
};

function foot() {
  const hints = [["/", "find"], ["1 … 0", "views"], ["B", "brush"], ["R", "record or stop"], ["Enter", "in"], ["Esc", "out"], ["?", "all keys"]];
  replace(place("foot"), hints.map(([key, text]) => el("span", {}, kbd(key), ` ${text}`)));
}

async function start() {
  let theme = "system";
  try { theme = localStorage.getItem("lens.theme") ?? "system"; } catch { /* as the system then */ }
  document.documentElement.dataset.theme = THEMES.includes(theme) ? theme : "system";
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(document.documentElement.dataset.theme));
  bar = new Bar(place("bar"), { main: mainAction, theme: nextTheme, views: VIEWS, about: () => shown?.controller?.about?.() ?? {} });
  place("time").append(timeLine.node);
  foot();
  onGo(show);
  bindKeys(HANDLERS);
  set({ view: viewOf(location.hash.slice(1) || document.getElementById("lens-data")?.dataset.view).id });
  addEventListener("hashchange", () => show(location.hash.slice(1)));
  on(["brush", "threads", "baseline"], () => refresh());
  const session = await attempt(() => get("session"));
  if (session) takeSession(session);
  else set({ connected: false });
  events();
}

start();
