#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -XX:+JitGdb: gdb names compiled methods and stubs in a stack.
# @only pellucid
# @timeout 120
# @not asan gdb does not run what the sanitizer is loaded into
# @not jit-all what options there are, or what they make the compiler do, is looked at
set -eu
cat >Main.java <<'TEXT'
public class Main {
    static int inner(int n) throws InterruptedException {
        if (n % 10000 == 0)
            Thread.sleep(1);
        return n + 1;
    }
    static int outer(int n) throws InterruptedException {
        return inner(n) + inner(n - 1);
    }
    public static void main(String[] args) throws InterruptedException {
        int sum = 0;
        for (int i = 0; i < 30000; i++)
            sum += outer(i);
        System.out.println(sum);
    }
}
TEXT
javac Main.java
java -Xint -cp . Main
t() { # the last of several sleeps; native methods have code when they were called once
    gdb -q -batch -ex 'handle SIGSEGV nostop noprint pass' -ex 'set breakpoint pending on' -ex 'break JVM_Sleep' -ex run -ex 'ignore 1 2' \
        -ex continue -ex bt --args java -XX:+UnlockDiagnosticVMOptions -Xbatch -XX:CompileCommand=quiet \
        -XX:CompileCommand=dontinline,Main.inner "$@" -cp . Main >out 2>&1
    grep -q '^#0 .*JVM_Sleep' out || cat out
    grep -oE 'in (Main.outer\(I\)I|Main.inner\(I\)I|enter static\(I\)I|native call [a-zA-Z()]*|[?][?]) \(\)' out | sort -u >names
}
t -XX:+JitGdb
sed 's/^/with: /' names
t
sed 's/^/without: /' names
