// SPDX-License-Identifier: Apache-2.0
// Which colour a package has. Hue says the group and never the value; the class library is grey, the VM and native code have colours of their own.
// The program's packages get theirs in the order in which they are met, and keep them for as long as the page is open.

import { token } from "./dom.js";

const OWN = ["--f1", "--f2", "--f3", "--f4", "--f5", "--f6"];
const LIBRARY = /^((java|javax|jdk|sun|kotlin|scala)(\.|$)|com\.sun\.(?!tools\.))/;
const given = new Map();

/** The name of the colour token of a group (a package, "native", "vm", ""). */
export function tokenOf(group) {
  if (!group) return "--fz";
  if (group === "vm") return "--fv";
  if (group === "native") return "--fn";
  if (LIBRARY.test(group)) return "--fj";
  if (!given.has(group)) given.set(group, OWN[given.size % OWN.length]);
  return given.get(group);
}

let cache = new Map();
export function colourOf(name) {
  if (!cache.has(name)) cache.set(name, token(name));
  return cache.get(name);
}
/** To be called when the theme changes. */
export function forgetColours() {
  cache = new Map();
}

export const groupName = (name) => ({ "--fz": "threads", "--fv": "the VM", "--fn": "native code", "--fj": "class library" })[name];
