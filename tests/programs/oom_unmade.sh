#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The heap is full to the last object while thousands of compiled frames have an object that was not made: a dump of the heap finds no
# room for them, says so, and the program goes on.
# @timeout 120
# @not stress it collects at each step: memory is used up in minutes
set -eu
cat >Full.java <<'TEXT'
public class Full {
    static final class Point {
        final int x;
        Point(int x) { this.x = x; }
    }
    static boolean fills;
    static int fill() {
        if (!fills)
            return 0;
        Object[] list = null;
        try {
            for (;;)
                list = new Object[] {list, null};
        } catch (OutOfMemoryError e) {
            return list == null ? 2 : 1;
        }
    }
    static int down(int n) {
        Point p = new Point(n);
        return (n == 0 ? fill() : down(n - 1)) + p.x;
    }
    static int calm(int n) {
        for (int i = 0; i < n; i++)
            down(100);
        return down(100);
    }
    public static void main(String[] args) {
        System.out.println(calm(5000));
        fills = true;
        int sum = down(5000);
        fills = false;
        System.out.println("alive: " + sum + " " + calm(10));
    }
}
TEXT
"$JAVA_HOME/bin/javac" -d . Full.java
"$JAVA_HOME/bin/java" -Xmx32m -Xss8m -XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=dump.hprof -cp . Full >out 2>&1 || echo "exit code $?"
grep -v -e '^java.lang.OutOfMemoryError: Java heap space$' -e '^Dump' -e '^Heap dump file created' out || cat out
