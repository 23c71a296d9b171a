#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jshell evaluates what comes from a pipe.
# @timeout 120
set -eu
jshell -J-Djava.util.prefs.userRoot="$PWD" --feedback concise <<'TEXT'
int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
f(20)
java.util.stream.IntStream.range(0, 5).mapToObj(i -> "v" + i).toList()
record P(int x, int y) {}
new P(1, 2).toString() + 1 / 0
/exit
TEXT
