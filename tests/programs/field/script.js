// SPDX-License-Identifier: Apache-2.0
function Counter(n) { this.n = n; }
Counter.prototype.up = function () { return ++this.n; };
var c = new Counter(4);
print(c.up() + c.up());
print(JSON.stringify({ a: [1, 2, { b: null }], d: new Date(0).toISOString() }));
print([5, 1, 4].sort().map(function (x) { return x * 2; }).join());
print('a-b-c'.replace(/-(\w)/g, function (_, s) { return s.toUpperCase(); }));
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
print(fib(20));
var list = new java.util.ArrayList(); list.add('x'); list.add(3.5); print(list);
try { null.x; } catch (e) { print(e instanceof TypeError); }
print(Array.from({ length: 5 }, (v, i) => i * i).reduce((a, b) => a + b));
