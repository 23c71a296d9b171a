#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# VisualVM's profiler on a program: calls counted by changed classes, allocations, and what of them lives. It redefines hundreds of
# classes of the JDK, calls its own from them, and reads times, threads and collections by JVM TI.
set -eu
CP=$(printf '%s:' /usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid{,-heap}.jar).
javac -nowarn -cp "$CP" -d . "$IN/Profiler.java" "$IN/Profiled.java"
# The profiler itself runs on the JDK that is compared with: the profiled program is what is tested.
for mode in full alloc live; do
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
    "$PEER_HOME/bin/java" -Duser.home="$PWD" -cp "$CP" Profiler "$mode" "$JAVA_HOME/bin/java" "$port" 2>/dev/null | grep -v "^Profiler Agent\|^Starting calibration"
done
