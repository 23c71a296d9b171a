#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Options of the VM, right and wrong ones: what is said, on which of the two outputs, and the exit code.
# @timeout 180
# @not jit-all what options there are, or what they make the compiler do, is looked at
set -eu
cat >Say.java <<'TEXT'
public class Say {
    public static void main(String[] args) {
        System.out.println("[" + String.join(",", args) + "] " + System.getProperty("x"));
    }
}
TEXT
javac Say.java
javac -version >version 2>&1
java_version=$(cut -d' ' -f2 version)
t() {
    echo "\$ $*"
    code=0
    java "$@" -cp . Say >out 2>err </dev/null || code=$?
    sed "s/^/  /;s/$java_version/VERSION/" out
    sed 's/^/! /' err
    if ((code != 0)); then
        echo "exit code $code"
    fi
}
# sizes
for value in -Xmx12q -Xmx -Xmx0 -Xmx1m -Xmx-5m -Xmx999999999999g -Xms12q -Xms -Xms500k -Xmn12q -Xmn0 -Xss12q -Xss -Xss1k -Xss2g; do
    t $value
done
t -Xms100m -Xmx50m
t -Xms64m -Xmx64k
t -Xmx0x3200000 -Xss16m -Xmn10m
for size in "" foo 0 1 1m 2496k 64m 3g; do
    t "-Xmaxjitcodesize$size"
done
# flags
for flag in +NoSuchFlag NoSuchFlag=3 +UseSerialGCC MaxHeapSiz=20m +MaxHeapSize +MaxHeapSize=3 MaxHeapSize MaxHeapSize=abc MaxHeapSize=10m \
    UseSerialGC UseSerialGC=true +UseSerialGC=true '' + = MaxRAMPercentage=abc MaxRAMPercentage=150 MaxRAMPercentage=-1 \
    MaxRAMPercentage=.5 ParallelGCThreads=-2 SurvivorRatio=0 MaxDirectMemorySize=-1 TieredStopAtLevel=9 TieredStopAtLevel=1x \
    MaxJavaStackTraceDepth=-2 ThreadStackSize=1 HeapDumpPath HeapDumpPath=x +ShowHiddenFrames +UseEpsilonGC +UseBiasedLocking \
    SuspendRetryCount=3 MaxPermSize=64m NativeMemoryTracking=some VMOptionsFile=nowhere Flags=nowhere; do
    t "-XX:$flag"
done
t -XX:+UseG1GC -XX:+UseSerialGC
for limit in 0 1 100k 300k 512k 600k 800k 1m 1200k; do
    t -Xshare:off -XX:MaxMetaspaceSize=$limit
done
t -Xshare:off -XX:MaxMetaspaceSize=300k -XX:+ExitOnOutOfMemoryError
t -Xshare:off -XX:MaxMetaspaceSize=1m -XX:+ExitOnOutOfMemoryError
t -Xshare:off -XX:MaxMetaspaceSize=1m -XX:+DisplayVMOutputToStderr
t -Xshare:dump -XX:SharedSymbolTableBucketSize=1
t -XX:+IgnoreUnrecognizedVMOptions -XX:+NoSuchFlag
t -XX:+NoSuchFlag -XX:+IgnoreUnrecognizedVMOptions
t -XX:+IgnoreUnrecognizedVMOptions -XX:-IgnoreUnrecognizedVMOptions -XX:+NoSuchFlag
t -XX:-IgnoreUnrecognizedVMOptions -XX:+IgnoreUnrecognizedVMOptions -XX:+NoSuchFlag
t -XX:+IgnoreUnrecognizedVMOptions -XX:+UseEpsilonGC
t -XX:+IgnoreUnrecognizedVMOptions -XX:+ShowHiddenFrames
t -XX:+UnlockDiagnosticVMOptions -XX:+ShowHiddenFrames
# those that only HotSpot's debug builds have, of each kind and type
for flag in +TraceBytecodes -TraceBytecodes TraceBytecodes TraceBytecodes=true +TraceBytecodes= StopInterpreterAt=3 StopInterpreterAt +StopInterpreterAt \
    +ExitOnFullCodeCache ExitOnFullCodeCache=3 CICrashAt=x CICrashAt TraceBytecodes:=x +TraceBytecodess StopInterpreterAtt=3; do
    t "-XX:$flag"
    t "-XX:$flag" -XX:+IgnoreUnrecognizedVMOptions
done
t -XX:+UnlockDiagnosticVMOptions -XX:+UnlockExperimentalVMOptions -XX:+WizardMode
t -XX:UseTLAB:=x
t -XX:MaxHeapSize:=20m
t -XX:HeapDumpPath:=x
# methods that were called, at the end
t -XX:+UnlockDiagnosticVMOptions -XX:+PrintTouchedMethodsAtExit
t -XX:+UnlockDiagnosticVMOptions -XX:+LogTouchedMethods -XX:+PrintTouchedMethodsAtExit | grep '^ *\(\[\|#\|Say\)'
t -XX:+UnlockDiagnosticVMOptions -XX:+LogTouchedMethods -XX:+PrintTouchedMethodsAtExit -XX:+DisplayVMOutputToStderr | grep '^[ !]*\(\[\|#\|Say\)'
t -Djdk.module.path=/x -XX:-PrintWarnings
echo '-Dx="from the" -XX:+NoSuchFlag' >vmoptions
t -XX:VMOptionsFile=vmoptions
# words
for word in -Xnonsense -nonsense --nonsense -Xverify:foo -noverify -Xshare:auto -Xshare:off -Xshare:foo -Xint -Xcomp -Xintx -Xbatch -Xnoclassgc \
    -Xdebug -Xprof -Xcheck:foo -Xbootclasspath:foo -Xbootclasspath/p:foo -Xbootclasspath/a -Xbootclasspath/a:x -Xrunnowhere \
    -agentlib:nowhere -agentpath:/nowhere/libx.so -javaagent:nowhere.jar -agentlib -Dx=1 -Dx -Djava.endorsed.dirs=/x \
    -Djava.ext.dirs=/x -Djdk.module.path=/x -Djava.security.manager=Nowhere -verbose:nothing; do
    t $word
done
# modules
t --add-modules nowhere
t --limit-modules nowhere
t --add-opens java.base/java.nowhere=ALL-UNNAMED
t --add-opens java.base
t --add-exports nowhere/x=ALL-UNNAMED
t --add-reads java.base=nowhere
t --patch-module java.base
t --patch-module java.base=a --patch-module java.base=b
t --patch-module nowhere=.
t --illegal-access=permit
t -p nowhere -m a/b
# from the environment
JAVA_TOOL_OPTIONS="-Dx='a b' -Dy" t
JAVA_TOOL_OPTIONS="-Dx='a b" t
JAVA_TOOL_OPTIONS="nonsense" t
JAVA_TOOL_OPTIONS="" t -Dx=line
# the compiler
for option in -Xbatch2 -XX:CompilationMode=foo -XX:CompilationMode=quick-only -XX:CompileThreshold=-5; do
    t $option
done
_JAVA_OPTIONS="-Dx=under" t -Dx=line
JDK_JAVA_OPTIONS="-Dx=jdk -Xnonsense" t
# what numbers the flags take; the values are not printed then
java -XX:+PrintFlagsRanges -XX:+PrintFlagsFinal -version 2>/dev/null |
    grep -E '^\[| (MaxTenuringThreshold|MaxRAMPercentage|ActiveProcessorCount|MaxJavaStackTraceDepth|NewRatio|UseTLAB|HeapDumpPath) '
