#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which methods the compiler is asked for, and when (docs/BROKER.md).
# @only pellucid
# @not jit-* its own flags say what is compiled
# @not compiled likewise
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
    public static void main(String[] args) throws Exception {
        Thread.sleep(args.length * 100); // more is asked while the VM starts
        int sum = once(1);
        for (int i = 0; i < 3000; i++)
            sum += often(i);
        for (int i = 0; i < 1000; i++)
            sum += seldom(i);
        System.out.println(sum + loop(50000));
        Thread.sleep(args.length * 500);
    }
}
TEXT
javac Main.java
arguments=
# The methods of Main, without numbers; what became of them is another matter.
asked() {
    echo "-- $*"
    java -XX:+UnlockDiagnosticVMOptions -XX:+PrintCompilation "$@" -cp . Main $arguments |
        grep -E 'Main::|^[0-9]+$' | grep -v SKIPPED | sed -E 's/^ *[0-9]+ +[0-9]+ /# /' | sort
}
asked -XX:+JitAll -XX:+JitVerify
asked -Xcomp
asked -XX:+JitSync
asked -XX:+JitSync -XX:CompileThresholdScaling=0.5
asked -XX:+JitSync -XX:-TieredCompilation -XX:CompileThreshold=2900
arguments="wait" # for the thread that compiles
asked -XX:CompileCommand=quiet -XX:CompileCommand=BackgroundCompilation,Main::often,false
arguments=
asked -XX:-JitCompile -XX:+JitSync
asked -Xint
echo "-- the first 50 that are asked for"
java -XX:+UnlockDiagnosticVMOptions -XX:+JitAll -XX:JitBisect=50 -XX:+PrintCompilation -cp . Main >out
grep -vE 'SKIPPED|not entrant' out | grep -cE '^ *[0-9]+ +[0-9]+ +'
last=$(sed -n 's/.*    50    b  1       //p' out)
grep -o 'JitBisect: the last one is *50    b  1       .*' out | sed -E 's/ +/ /g' | grep -cF "JitBisect: the last one is 50 b 1 $last"
