#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Traces of both engines say the same, in whatever way the code is compiled; a planted miscompilation is found by them, and so is a value
# that was changed (docs/TRACE.md).
# @only pellucid
# @timeout 120
set -eu
javac -g -d . "$ROOT/fuzz/jit/Traced.java"
compare() {
    python3 "$ROOT/tools/jit_compare.py" "$@" || echo "exit $?"
}
trace() {
    local file=$1
    shift
    java -XX:+UnlockDiagnosticVMOptions "-XX:JitTrace=$file" "$@" -cp . Traced
}
trace int -Xint
for flags in -XX:+JitAll "-XX:+JitAll -XX:JitDeoptEvery=3" "-XX:+JitAll -XX:-JitInline" "-Xbatch -XX:CompileThresholdScaling=0.01"; do
    echo "-- $flags"
    # shellcheck disable=SC2086 # several flags
    trace jit $flags
    compare int jit | sed 's/: [0-9]* lines/: # lines/'
done
echo "-- a method alone"
trace one -XX:+JitAll -XX:CompileCommand=quiet -XX:CompileCommand=log,Traced::halve
cut -f 2 one | sort -u
echo "-- a value is another"
awk -F '\t' -v OFS='\t' '/Traced.mix/ && ++n == 7 { sub(/l1=[0-9a-f]*/, "l1=63") } { print }' jit >changed
compare int changed --context 1
echo "-- no trace"
echo nothing >nothing
compare int nothing 2>&1
trace missing/file -Xint 2>&1
echo "-- a planted miscompilation"
python3 "$ROOT/fuzz/jit/planted.py" --type release --trace "locals are swapped" | grep -E 'thread|local' | sed -E 's/line [0-9]+ of/line # of/; s/(first|second) .*//'
