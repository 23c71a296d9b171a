#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The kinds of OutOfMemoryError, and what the flags make of the first one: heap dumps, commands, an
# exit; dumps around full collections; a class histogram with the thread dump.
# @mask java_pid[0-9]+
# @mask \[[0-9]+ bytes in [0-9.]+ secs\]
# @mask \[[0-9.]+s\]
# @mask stacksize: [0-9]+k
# @timeout 120
# @not stress it collects at each step: what is counted, and when memory is used up, is chance
set -eu
cat >Oom.java <<'TEXT'
import java.util.*;
public class Oom {
    static Object[] kept;
    static void fail(String kind) {
        switch (kind) {
            case "heap" -> { kept = new Object[1000]; for (int i = 0; ; i++) kept[i] = new byte[1_000_000]; }
            case "largest" -> kept = new Object[Integer.MAX_VALUE];
            case "large" -> System.out.println(new long[Integer.MAX_VALUE - 1].length);
            case "not large" -> System.out.println(new byte[Integer.MAX_VALUE - 2].length);
            case "several" -> System.out.println(new int[100_000][100_000].length);
            case "direct" -> { List<Object> l = new ArrayList<>(); for (;;) l.add(java.nio.ByteBuffer.allocateDirect(1 << 20)); }
            case "thread" -> new Thread(null, () -> { }, "big", 1L << 46).start();
            case "gc" -> System.gc();
        }
    }
    public static void main(String[] args) {
        for (String kind : args)
            try {
                fail(kind);
            } catch (OutOfMemoryError e) {
                kept = null;
                System.out.println(kind + ": " + e);
            }
    }
}
TEXT
"$JAVA_HOME/bin/javac" -d . Oom.java
run() {
    java -Xint -XX:+UseSerialGC -Xmx32m -XX:MaxDirectMemorySize=3m -cp . "$@" || echo "exit $?"
}
head8() {
    head -c 18 "$1"
    echo " $(stat -c %a "$1")"
    rm "$1"
}
run Oom heap largest large 'not large' several direct thread
run -XX:+HeapDumpOnOutOfMemoryError Oom thread heap heap
head8 java_pid*.hprof
run -XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=named.hprof Oom largest heap
run -XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=named.hprof Oom heap
head8 named.hprof
run -XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=absent/named Oom heap
mkdir folder
run -XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=folder -XX:HeapDumpGzipLevel=1 Oom heap
gzip -t folder/java_pid*.hprof.gz && rm -r folder
run -XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=x.hprof '-XX:OnOutOfMemoryError=echo one;  echo two %% ; false' \
    -XX:+ExitOnOutOfMemoryError Oom thread heap
rm x.hprof
run -XX:+HeapDumpBeforeFullGC -XX:+HeapDumpAfterFullGC -XX:HeapDumpPath=full.hprof Oom gc gc
rm full.hprof full.hprof.1 full.hprof.2 full.hprof.3
run -XX:HeapDumpGzipLevel=10 Oom 2>&1 | head -1
