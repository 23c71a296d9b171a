#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the specification says of agents and HotSpot does not do: Agent_OnUnload is called when the start fails, no event having been
# sent (A10, A13, D6 in docs/BEHAVIOURS.md); options are modified UTF-8 (A5).
# @only pellucid
set -eu
t() {
    echo "\$ $*"
    code=0
    java "$@" -cp . NoSuchClass 2>&1 </dev/null || code=$?
    echo "exit code $code"
}
mkdir lib
cp "$BUILD_TREE/tests/libti_starts.so" lib/libone.so
cp "$BUILD_TREE/tests/libti_starts.so" lib/libtwo.so
export LD_LIBRARY_PATH=$PWD/lib LC_ALL=C.UTF-8
t -agentlib:one=events -agentlib:two=fail
t -agentlib:two=fail,events -agentlib:one=events
t -agentlib:one=events -agentlib:nowhere
t -agentlib:one=events -Xbootclasspath/a:x --patch-module java.base=nowhere --limit-modules java.nowhere
t -Xrunone:fail
t "-agentlib:one=$(printf 'e\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80.')"
