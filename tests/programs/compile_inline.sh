#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# CompileCommand's inline and dontinline: which calls stay in the graph. The last one that concerns a method counts.
# @only pellucid
# @not jit-* its own flags say what is compiled
# @not compiled likewise
set -eu
cat >Main.java <<'TEXT'
public class Main {
    static int small(int n) { return n * 37; }
    static int large(int n) { // far above what is inlined without being hot for long
        int sum = n;
TEXT
for ((i = 0; i < 60; i++)); do echo "        sum = sum * $((i + 40)) ^ sum >>> $((i % 7));" >>Main.java; done
cat >>Main.java <<'TEXT'
        return sum;
    }
    static int calls(int n) { return small(n) + large(n); }
    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 5000; i++)
            sum += calls(i);
        System.out.println(sum);
    }
}
TEXT
javac Main.java
expected=$(java -Xint -cp . Main)
calls() {
    echo "-- $*"
    commands=(-XX:CompileCommand=quiet)
    for c in "$@"; do commands+=("-XX:CompileCommand=$c"); done
    java -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -cp . "${commands[@]}" Main | grep -xvF -- "$expected" || true
    java -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:JitPrint=Main.calls "${commands[@]}" -cp . Main >out
    # the first graph is that of the code; the others are tried at the end
    awk '/^Main.calls/ { n++ } n == 1' out | grep -oE '(CallStatic Main|MulI [^ ]* I:37$).*' | sed 's/(I)I.*//; s/MulI.*/small is inlined/' | sort -u
}
calls
calls dontinline,Main::small
calls inline,Main::large
calls 'dontinline,Main::*' inline,Main::*
calls dontinline,Main::small dontinline,Main::small,false
# what is inlined counts as compiled: 10 bytes of calls, 5 of small
for c in inline dontinline; do
    echo "-- bytes with $c,Main::small"
    java -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:CompileCommand=quiet -XX:CompileCommand=compileonly,Main::calls \
        -XX:CompileCommand=dontinline,Main::large -XX:CompileCommand=$c,Main::small -XX:+CITime -cp . Main | grep -oE 'compiled bytecodes.*'
done
