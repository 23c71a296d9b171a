#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Code that leaves to the interpreter where something was not resolved yet is made not entrant and the method compiled anew; where that
# would not help it stays (docs/BROKER.md, "Compiled anew").
# @only pellucid
# @not jit-* its own flags say what is compiled
# @not compiled likewise
set -eu
mkdir gone
cat >Main.java <<'TEXT'
public class Main {
    static int other(int n) { return n ^ 5; }
    // Calls `other` late for the first time.
    static int late(int n) { return n < 2000 ? n : other(n); }
    // Resolves nothing, ever: the class is not there.
    static int never(int n) {
        if (n < 2000)
            return n;
        try {
            return Gone.field;
        } catch (NoClassDefFoundError e) {
            return 1;
        }
    }
    // One more way each thousand turns, which is resolved by its first run.
    static int ways(int n) {
        switch (n / 1000) {
        case 2: return Math.abs(n);
        case 3: return Integer.bitCount(n);
        case 4: return Long.hashCode(n);
        case 5: return Integer.reverse(n);
        case 6: return Character.getNumericValue(n);
        case 7: return Integer.highestOneBit(n);
        case 8: return Short.toUnsignedInt((short) n);
        case 9: return Byte.toUnsignedInt((byte) n);
        default: return other(n);
        }
    }
    public static void main(String[] args) {
        long sum = 0;
        for (int i = 0; i < 12000; i++)
            sum += late(i) + never(i) + ways(i % 10000);
        System.out.println(sum);
    }
}
class Gone {
    static int field;
}
TEXT
javac Main.java
mv Gone.class gone
# How often each method was compiled, and how often its code was retired.
times() {
    echo "-- $*"
    java -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+PrintCompilation "$@" -cp . Main >out
    grep -E '^[-0-9]+$' out
    for m in late never ways; do
        echo "$m: $(grep -E "Main::$m " out | grep -cv 'made not entrant') compiled, $(grep -E "Main::$m " out | grep -c 'made not entrant') retired"
    done
}
times -XX:+JitCompile
times -XX:+JitAll
