// SPDX-License-Identifier: Apache-2.0
// How one view leads to another: go("watch", {method}) shows that view and hands it what it was called with.

let arrive = () => {};

/** The page says how a view is shown: fn(view id, params or null). */
export const onGo = (fn) => { arrive = fn; };

export const go = (view, params = null) => arrive(view, params);
