#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files of options (-XX:VMOptionsFile) and of flags (-XX:Flags): one a source, none inside another, nor itself; of any length; before or
# after the other options.
# @not jit-all what options there are, or what they make the compiler do, is looked at
set -eu
t() {
    echo "\$ ${before:-} java $*"
    code=0
    env ${before:+"$before"} java "$@" -XX:+PrintFlagsFinal -version >out.txt 2>&1 </dev/null || code=$?
    grep -wE 'MaxHeapSize' out.txt | tr -s ' ' | cut -d' ' -f5 || sed 's/^\(.\{300\}\).*/\1/' out.txt
    echo "exit code $code"
}
words() {
    printf '%s\n' "$@"
}
words -XX:VMOptionsFile=self >self
words -Dx=1 -XX:VMOptionsFile=b >a
words -XX:VMOptionsFile=a >b
words -Xmx48m >ok
words -XX:VMOptionsFile=ok >nested
words '-Xmx48m -XX:VMOptionsFile=ok -XX:VMOptionsFile=ok' >twice
words -XX:Flags=flags >to_flags
words MaxHeapSize=32m >flags
words Flags=flags >flags_in_flags
words VMOptionsFile=ok >options_in_flags
words "-Dx='y" >unmatched
words -Xmx48m -nonsense >wrong
mkdir folder
seq -f '-Dnumber%g=1' 5000 >long
words -Xmx56m >>long
for _ in $(seq 2000); do
    echo 'MaxHeapSize=40m'
done >long_flags
words +NoSuchFlag >>long_flags
for file in self a ok nested twice to_flags unmatched wrong folder long nowhere ''; do
    t -XX:VMOptionsFile=$file
done
t -XX:VMOptionsFile=ok -XX:VMOptionsFile=ok
t -XX:VMOptionsFile=ok -XX:VMOptionsFile=wrong
t -nonsense -XX:VMOptionsFile=self
t -XX:VMOptionsFile=nowhere -XX:Flags=nowhere
t -XX:VMOptionsFile -Xmx50m
for file in flags flags_in_flags options_in_flags long_flags nowhere ''; do
    t -XX:Flags=$file
done
t -XX:Flags
t -Xmx64m -XX:Flags=flags
t -XX:Flags=flags -Xmx64m
t -XX:Flags=nowhere -XX:Flags=flags
t -XX:Flags=flags -XX:Flags=nowhere
t -nonsense -XX:Flags=nowhere
# the form of a file of flags; all that is wrong in it is said; what -XX:+PrintVMOptions prints of it, and when
words '+PrintVMOptions MinHeapFreeRatio=30 -PrintVMOptions +UseTLAB' >on_off
words '-PrintVMOptions MinHeapFreeRatio=30 +PrintVMOptions +UseTLAB' >off_on
words 'MinHeapFreeRatio=30 +NoSuchFlag +UseTLAB MaxHeapSize=x ReservedCodeCacheSize=0 ReservedCodeCacheSize=x' -Xmx40m foo +TraceBytecodes >wrongs
words '# +NoSuchFlag' '+UseTLAB #+Foo' '+UseTLAB#y' '"+UseTLAB"' '+Use"TLAB"' "HeapDumpPath='a \"b\"'c" "HeapDumpPath=''" \
    'HeapDumpPath="open +Foo' -XX:+UseTLAB >quotes
printf '+UseTLAB\r\n+Foo\f+Bar\v+Baz\n' >spaces
words '+DisplayVMOutputToStderr +PrintVMOptions +UseTLAB +NoSuchFlag' >to_stderr
words '-IgnoreUnrecognizedVMOptions +NoSuchFlag' >heed
words '+IgnoreUnrecognizedVMOptions +NoSuchFlag' >ignore
p() {
    echo "\$ ${before:-} java $*"
    code=0
    env ${before:+"$before"} java "$@" -version >out.txt 2>err.txt </dev/null || code=$?
    sed 's/^/  /' out.txt
    sed -n '/^openjdk\|^OpenJDK Run\|VM (build/!s/^/! /p' err.txt
    echo "exit code $code"
}
for file in on_off off_on wrongs quotes spaces to_stderr heed ignore; do
    p -XX:Flags=$file
    p -XX:+PrintVMOptions -XX:Flags=$file -XX:MinHeapFreeRatio=33
    p -XX:Flags=$file -XX:-UseTLAB -XX:+PrintVMOptions
    p -XX:+IgnoreUnrecognizedVMOptions -XX:Flags=$file
done
p -XX:+PrintVMOptions -XX:Flags=off_on -XX:-PrintVMOptions -XX:+UseTLAB
p -XX:+PrintVMOptions -XX:Flags=nowhere
p -XX:+PrintVMOptions -XX:+DisplayVMOutputToStderr -XX:+UseTLAB
for before in JAVA_TOOL_OPTIONS _JAVA_OPTIONS; do
    before="$before=-XX:+PrintVMOptions -XX:MinHeapFreeRatio=20"
    p -XX:Flags=off_on -XX:+UseTLAB
done
before=
# where a flag is from
from() {
    echo "\$ ${before:-} java $*"
    env ${before:+"$before"} java "$@" -XX:+PrintFlagsFinal -version 2>err.txt | grep '{config file}\|{environment}\| MaxHeapSize '
}
words 'MinHeapFreeRatio=30 MaxHeapSize=64m ReservedCodeCacheSize=64m' >sizes
words '-XX:MinHeapFreeRatio=31 -Xmx64m' >options
from -XX:Flags=sizes
from -XX:Flags=sizes -XX:MinHeapFreeRatio=33 -Xmx66m
for before in JAVA_TOOL_OPTIONS='-XX:MinHeapFreeRatio=20 -XX:MaxHeapSize=64m' _JAVA_OPTIONS=-Xmx64m JAVA_TOOL_OPTIONS=-XX:VMOptionsFile=options \
    JDK_JAVA_OPTIONS='-XX:MinHeapFreeRatio=20 -Xmx64m'; do
    from -XX:+UseTLAB
    from -XX:MinHeapFreeRatio=32
done
before=
for variable in JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS; do
    for file in self ok twice nowhere; do
        before=$variable=-XX:VMOptionsFile=$file
        t -Xmx60m
    done
    t -XX:VMOptionsFile=ok
    before=$variable=-XX:Flags=flags
    t
    before="$variable=-Xmx52m -Dx='y"
    t -XX:VMOptionsFile=self
    before=$variable=@flags
    t
done
