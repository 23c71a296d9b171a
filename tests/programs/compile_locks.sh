#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which nodes of monitors the graph of a method has: none where nobody can see the object, nor look at the frame while it is locked; a record
# where the frame can be looked at; monitors of all others.
# @only pellucid
# @not jit-* its own flags say what is compiled
# @not compiled likewise
set -eu
cat >Main.java <<'TEXT'
public class Main {
    static Object kept;
    int x;
    static int unseen(int n) {
        Main m = new Main();
        synchronized (m) {
            m.x = n;
        }
        return m.x;
    }
    static int looked(int n, int[] a) {
        Main m = new Main();
        synchronized (m) {
            m.x = a[n & 1];
        }
        return m.x;
    }
    static int seen(int n) {
        Main m = new Main();
        kept = m;
        synchronized (m) {
            m.x = n;
        }
        return m.x;
    }
    public static void main(String[] args) {
        int sum = 0;
        int[] a = {1, 2};
        for (int i = 0; i < 20000; i++)
            sum += unseen(i) + looked(i, a) + seen(i);
        System.out.println(sum);
    }
}
TEXT
javac Main.java
for m in unseen looked seen; do
    echo "-- $m"
    java -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:JitPrint=Main.$m -cp . Main >out
    # the first graph is that of the code
    awk '/^Main/ { n++ } n == 1' out | grep -oE 'Monitor(Enter|Exit)|HoldUnmade|ReleaseUnmade' || echo "none"
done
