#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Flags whose limits are no plain range, or depend on other flags; -XX:+PrintVMOptions and -XX:CompileCommand. What is said,
# on which of the two outputs, and the exit code. With one processor HotSpot takes another collector unless it is told.
# @jdk 17.0.19
# @not jit-* unknown options are ignored there, and others are printed
# @not compiled likewise
set -eu
t() {
    echo "\$ $*"
    code=0
    java -XX:+UseG1GC -XX:+UnlockDiagnosticVMOptions -XX:+UnlockExperimentalVMOptions "$@" -version >out 2>err </dev/null || code=$?
    sed 's/^/  /' out
    sed -n '/^openjdk\|^OpenJDK Run\|VM (build/!s/^/! /p' err
    if ((code != 0)); then
        echo "exit code $code"
    fi
}
x() {
    t "${@/#/-XX:}"
}
x MinHeapFreeRatio=80 ContendedPaddingWidth=3 OptoLoopAlignment=3 G1NewSizePercent=70 TLABSize=1k
x MinHeapFreeRatio=80 MaxHeapFreeRatio=75
x MinHeapFreeRatio=80 MaxHeapFreeRatio=80
x MaxMetaspaceFreeRatio=30 MarkStackSize=10k MarkStackSizeMax=1k
x TLABSize=4k MinTLABSize=8k
x MinTLABSize=3
x OldPLABSize=3 YoungPLABSize=4
x CICompilerCount=1
x TieredStopAtLevel=1 CICompilerCount=0
x -TieredCompilation CICompilerCount=0
t -Xint -XX:CICompilerCount=0
x GCPauseIntervalMillis=10 MaxGCPauseMillis=20
x GCPauseIntervalMillis=10
x ParallelGCThreads=3 ConcGCThreads=4
x ObjectAlignmentInBytes=24
x LargePageSizeInBytes=3
x InteriorEntryAlignment=64 PerfDataSamplingInterval=55
x AllocatePrefetchDistance=-1
x InteriorEntryAlignment=3 InitArrayShortSize=12
x ReservedCodeCacheSize=1m
x ReservedCodeCacheSize=3g
x CodeCacheSegmentSize=16
x OnStackReplacePercentage=20
x MaxNodeLimit=1000
x AVX3Threshold=3
x MinHeapSize=3
x SoftMaxHeapSize=500g
x VMThreadStackSize=10
x CompilerThreadStackSize=10
t -XX:MinHeapSize=20m -Xmx10m
t -Xminf0.3 -Xmaxf0.2
t -Xminf
t -Xmaxf1.2
echo "as given"
x +PrintVMOptions NewSize=2m MaxNewSize=4m
x +PrintVMOptions -PrintVMOptions
x +NoSuchFlag +PrintVMOptions
x +PrintVMOptions NewSize=3x MaxNewSize=1m
JAVA_TOOL_OPTIONS='-XX:SurvivorRatio=3 -XX:+PrintVMOptions' x NewSize=2m
echo "commands to compilers"
commands=()
while IFS= read -r line; do
    commands+=("-XX:CompileCommand=$line")
done <<'TEXT'
print,java.lang.String::length
bogus,java.lang.String::length
exclude,java/lang/String.length
exclude
option,java.lang.String::length,PrintInlining,DumpReplay
option,Foo::b,intx,RepeatCompilation,3
option,Foo::b,RepeatCompilation,3
option,Foo::b,bool,RepeatCompilation,true
CompileThresholdScaling,java.lang.String::length,0.5
CompileThresholdScaling,java/lang/String.length,3
RepeatCompilation,Foo::b,-3
RepeatCompilation,Foo::b
ControlIntrinsic,Foo::b,+_dabs,-_dsin
exclude,java.lang.String::len*th
inline,java.lang.String
inline,a/b/C::m
inline,Foo::b::c
inline,Foo::<init>
inline,Foo::<bar>
inline,Foo
inline,**.b
inline Foo b
inline Foo.b (I)V,false
inline,Foo.b(*)
INLINE,*Foo*::*b*
log,Foo.b
quiet
inline,not.told::of
TEXT
t "${commands[@]}"
x CompileOnly=Foo,Bar.x
x CompileOnly=.foo
printf 'inline,A.b\n# comment\n\nexclude B.c\nfoo\n' >commands
x CompileCommandFile=commands
