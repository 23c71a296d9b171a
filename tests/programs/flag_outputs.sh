#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where the VM prints what (DisplayVMOutput and its like), the tables of flags, empty values, stack sizes of 0.
# @timeout 600
# @not jit-* unknown options are ignored there
# @not compiled likewise
set -eu
cat >Say.java <<'TEXT'
public class Say {
    public static void main(String[] args) {
        System.out.println("ran");
    }
}
TEXT
javac Say.java
t() {
    echo "\$ $*"
    code=0
    java "$@" -cp . Say >out 2>err </dev/null || code=$?
    sed 's/^/  /' out
    sed 's/^/! /' err
    if ((code != 0)); then
        echo "exit code $code"
    fi
}
for dirs in endorsed ext; do
    t "-Djava.$dirs.dirs"
    t "-Djava.$dirs.dirs="
    t "-Djava.$dirs.dirs=/x"
done
for size in -Xss0 -XX:ThreadStackSize=0 -XX:VMThreadStackSize=0 -XX:CompilerThreadStackSize=0 -XX:VMThreadStackSize=1 \
    -XX:CompilerThreadStackSize=1 -XX:MaxHeapSize=0 -XX:ReservedCodeCacheSize=0 -XX:ReservedCodeCacheSize=x; do
    t $size
done
for where in +DisplayVMOutputToStderr +DisplayVMOutputToStdout; do
    t -XX:$where -XX:+UseBiasedLocking
    t -XX:$where -Djava.ext.dirs=/x
    t -XX:$where -XX:+NoSuchFlag
    t -XX:$where -XX:ThreadStackSize=1
    t -XX:$where -Xmx1m
    t -XX:$where -XX:CompileCommand=nonsense
done
t -XX:+DisplayVMOutputToStdout -XX:+DisplayVMOutputToStderr -XX:+UseBiasedLocking
t -XX:+UnlockDiagnosticVMOptions -XX:-DisplayVMOutput -XX:+PrintFlagsFinal -XX:+UseBiasedLocking
t -XX:-DisplayVMOutput
t -XX:-UnlockDiagnosticVMOptions
t -XX:MaxGCMinorPauseMillis=10
# the tables
flags() {
    echo "\$ $*"
    java "$@" -version 2>/dev/null |
        grep -E '^\[| (AliasLevel|ConditionalMoveLimit|ObjectAlignmentInBytes|HeapDumpPath|UseCompressedOops|MinHeapFreeRatio|UseVectorCmov|SoftMaxHeapSize|EnableJVMCI|BlockCopyLowLimit|BootstrapJVMCI|UnlockDiagnosticVMOptions|PrintVMOptions) '
}
flags -XX:+PrintFlagsFinal -XX:+PrintVMOptions -XX:MinHeapFreeRatio=0x10 -XX:SoftMaxHeapSize=20m -Xmx1g -XX:+UseCompressedOops
flags -XX:+PrintFlagsFinal -XX:+UnlockDiagnosticVMOptions -XX:SoftMaxHeapSize=20m -XX:+UseCompressedOops
flags -XX:+PrintFlagsFinal -XX:+UnlockExperimentalVMOptions -XX:SoftMaxHeapSize=20m -XX:+UseCompressedOops
# the flags as they are before any is given; the VM does not start then
java -XX:+NoSuchFlag -XX:+PrintFlagsInitial -XX:MinHeapFreeRatio=16 -XX:+UnlockDiagnosticVMOptions Nowhere >initial
echo "exit code $?"
grep -E '^\[| (AliasLevel|ConditionalMoveLimit|HeapDumpPath|MinHeapFreeRatio|PrintFlagsInitial|UnlockDiagnosticVMOptions) ' initial
# files that were once read without being asked for
echo "+PrintVMOptions -IgnoreUnrecognizedVMOptions" >.hotspotrc
touch .hotspot_compiler
t -Xint
t -XX:Flags=.hotspotrc -XX:+UseTLAB
t -XX:Flags=.hotspotrc -XX:-PrintVMOptions
t -XX:CompileCommandFile=.hotspot_compiler
