// SPDX-License-Identifier: Apache-2.0
// A flame graph's numbers, laid out once: columns of typed arrays, no object for a node. Nodes stand in breadth-first order (`order`), row by
// row, in each row from left to right, so that a row is a sorted range of x0 and x1 and everything is found by binary search.
//
// Units of x: the graph's own (nanoseconds, bytes, calls). The width of a node is its total; in a comparison it is the sum of both totals, so
// that what vanished and what is new can be seen.

export class FlameModel {
  /** data: the answer of /api/flame or /api/flame_diff. */
  constructor(data) {
    this.data = data;
    this.names = data.names;
    this.groups = data.groups ?? [];
    this.unit = data.unit;
    this.count = data.parent.length;
    this.isDiff = Boolean(data.total2);
    this.parent = Int32Array.from(data.parent);
    this.name = Int32Array.from(data.name);
    this.self = Float64Array.from(data.self);
    this.total = Float64Array.from(data.total);
    this.total2 = this.isDiff ? Float64Array.from(data.total2) : null;
    this.self2 = data.self2 ? Float64Array.from(data.self2) : null;
    this.#children();
    this.#layout();
    this.clearSearch();
  }

  weight(node) {
    return this.isDiff ? this.total[node] + this.total2[node] : this.total[node];
  }

  /** firstChild[n] .. firstChild[n + 1] is the range of n's children in `child`, the widest first. */
  #children() {
    const n = this.count;
    const first = new Int32Array(n + 1);
    for (let i = 1; i < n; i++) first[this.parent[i] + 1]++;
    for (let i = 1; i <= n; i++) first[i] += first[i - 1];
    const child = new Int32Array(Math.max(0, n - 1));
    const next = first.slice();
    for (let i = 1; i < n; i++) child[next[this.parent[i]]++] = i;
    this.firstChild = first;
    this.child = child;
    for (let i = 0; i < n; i++) {
      const [a, b] = [this.firstChild[i], this.firstChild[i + 1]];
      if (b - a > 1) child.subarray(a, b).sort((x, y) => this.weight(y) - this.weight(x) || x - y);
    }
  }

  #layout() {
    const n = this.count;
    this.order = new Int32Array(n);
    this.position = new Int32Array(n);
    this.depth = new Uint16Array(n);
    this.x0 = new Float64Array(n);
    this.x1 = new Float64Array(n);
    this.rows = [0];
    this.height = 0;
    if (!n) return;
    this.x1[0] = this.weight(0);
    let end = 1;
    for (let start = 0; start < end;) {
      const stop = end;
      this.rows.push(stop);
      for (let p = start; p < stop; p++) end = this.#place(p, end);
      start = stop;
    }
    this.rows.pop();
    this.rows.push(n);
    this.height = this.rows.length - 1;
  }

  /** Places the children of the node at position p behind `end`; answers the new end. */
  #place(p, end) {
    const node = this.order[p];
    let x = this.x0[p];
    for (let c = this.firstChild[node]; c < this.firstChild[node + 1]; c++) {
      const kid = this.child[c];
      this.order[end] = kid;
      this.position[kid] = end;
      this.depth[kid] = this.depth[node] + 1;
      this.x0[end] = x;
      x += this.weight(kid);
      this.x1[end] = x;
      end++;
    }
    return end;
  }

  /** The first position of a row whose right edge is beyond x. */
  firstBeyond(row, x) {
    let low = this.rows[row];
    let high = this.rows[row + 1];
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.x1[mid] > x) high = mid;
      else low = mid + 1;
    }
    return low;
  }

  /** The node of a row at x, or -1. */
  at(row, x) {
    if (row < 0 || row >= this.height) return -1;
    const p = this.firstBeyond(row, x);
    return p < this.rows[row + 1] && this.x0[p] <= x ? this.order[p] : -1;
  }

  children(node) {
    return this.child.subarray(this.firstChild[node], this.firstChild[node + 1]);
  }

  nameOf(node) {
    return this.names[this.name[node]];
  }

  groupOf(node) {
    return this.groups[this.name[node]] ?? "";
  }

  path(node) {
    const names = [];
    for (let at = node; at > 0; at = this.parent[at]) names.push(this.nameOf(at));
    return names.reverse();
  }

  /** The node that a path of names leads to, or the last one on the way that is there. */
  follow(path) {
    let at = 0;
    for (const name of path) {
      const next = [...this.children(at)].find((c) => this.nameOf(c) === name);
      if (next === undefined) break;
      at = next;
    }
    return at;
  }

  /** Neighbour in the same row (step 1 or -1), or -1. */
  sibling(node, step) {
    const p = this.position[node] + step;
    const row = this.depth[node];
    return p >= this.rows[row] && p < this.rows[row + 1] ? this.order[p] : -1;
  }

  clearSearch() {
    this.hits = null;
    this.found = { frames: 0, share: 0, value: 0 };
  }

  /** Marks the nodes whose names have `words` (no matter the case); recursion is counted once in the share. */
  search(words) {
    if (!words) return this.clearSearch();
    const sought = words.toLowerCase();
    const match = Uint8Array.from(this.names, (name) => (name.toLowerCase().includes(sought) ? 1 : 0));
    const covered = new Uint8Array(this.count);
    this.hits = new Int32Array(this.count + 1);
    let value = 0;
    for (let node = 0; node < this.count; node++) {
      const above = node ? covered[this.parent[node]] : 0;
      const hit = match[this.name[node]];
      covered[node] = above || hit;
      if (hit && !above) value += this.weight(node);
    }
    for (let p = 0; p < this.count; p++) this.hits[p + 1] = this.hits[p] + match[this.name[this.order[p]]];
    const all = (this.count && this.weight(0)) || 1;
    this.found = { frames: this.hits[this.count], share: value / all, value };
  }

  /** Whether one of the positions from..to (excluded) is a match. */
  hasHit(from, to) {
    return this.hits !== null && this.hits[to] > this.hits[from];
  }

  /** The widest match, or -1. */
  firstHit() {
    for (let p = 0; p < this.count; p++) if (this.hasHit(p, p + 1)) return this.order[p];
    return -1;
  }

  /** How a node's share changed, -1 (gone) to 1 (new). */
  change(node) {
    const a = this.total[node];
    const b = this.total2[node];
    return a + b ? (b - a) / (a + b) : 0;
  }
}
