#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which methods the compiler is asked for, and when (docs/COMPILER.md).
# @only pellucid
set -eu
cat >Main.java <<'TEXT'
public class Main {
    static int once(int n) { return n + 1; }
    static int often(int n) { return n - 1; }
    static int seldom(int n) { return n * 2; }
    static int loop(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += i;
        return sum;
    }
    public static void main(String[] args) {
        int sum = once(1);
        for (int i = 0; i < 3000; i++)
            sum += often(i);
        for (int i = 0; i < 1000; i++)
            sum += seldom(i);
        System.out.println(sum + loop(10000));
    }
}
TEXT
javac Main.java
asked() {
    echo "-- $*"
    java -XX:+UnlockDiagnosticVMOptions -Xlog:jit+compilation=debug "$@" -cp . Main |
        sed -n 's/^[^M]*\(Main\.[^:]*\).*/\1/p; /^[0-9]*$/p' | sort
}
asked -XX:+JitAll -XX:+JitVerify
asked -XX:+JitCompile
asked -XX:-JitCompile
