// SPDX-License-Identifier: Apache-2.0
// What the whole page shares. Views read `state`, change it by set(), and hear of changes by on(). Times are t (ms since the start
// of the recording); `brush` and `baseline` are null or [from, to].

export const state = {
  session: null,      // the answer of /api/session
  view: "overview",
  brush: null,        // the range that all views show; null: everything
  baseline: null,     // the range that "Compare" compares with
  threads: [],        // ids that narrow the views; empty: all
  threadNames: new Map(),
  mark: null,         // t of "since mark"
  connected: true,    // to the front
};

const listeners = new Set();

/** fn(changed names) is called after each set() that changes one of `names`; answers the function that ends it. */
export function on(names, fn) {
  const entry = { names: new Set(names), fn };
  listeners.add(entry);
  return () => listeners.delete(entry);
}

export function set(changes) {
  const changed = Object.keys(changes).filter((k) => state[k] !== changes[k]);
  if (!changed.length) return;
  Object.assign(state, changes);
  for (const entry of [...listeners]) if (changed.some((k) => entry.names.has(k))) entry.fn(changed);
}

export const threadName = (id) => (id ? state.threadNames.get(id) ?? `thread ${id}` : "");

export const live = () => state.session?.mode === "live" && !state.session.ended && state.connected;
export const now = () => state.session?.now ?? 0;

/** The parameters of a query that the brush and the chosen threads narrow. */
export function narrowed(extra = {}) {
  const [from, to] = state.brush ?? [];
  return {
    from: from === undefined ? undefined : Math.round(from),
    to: to === undefined ? undefined : Math.round(to),
    threads: state.threads.length ? state.threads.join(",") : undefined,
    ...extra,
  };
}

const RUNNING = new Set(["accepted", "progress"]);
export const isRunning = (order) => RUNNING.has(order.state);
export const runningOrders = (verbs) => (state.session?.orders ?? []).filter((o) => isRunning(o) && verbs.includes(o.verb));

/** Replaces or adds an order in the session, as the front tells of it. */
export function mergeOrder(order) {
  if (!state.session) return;
  const orders = state.session.orders.filter((o) => o.id !== order.id);
  set({ session: { ...state.session, orders: [...orders, order] } });
}
