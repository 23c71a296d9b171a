#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jdb: breakpoints, stack, locals, expressions, steps, a changed variable, exceptions caught.
# @timeout 120
set -eu
cat >Demo.java <<'TEXT'
public class Demo {
    static int total;
    final String name = "demo";

    int add(int a, long b) {
        int sum = a + (int) b;
        total += sum;
        return sum;
    }

    static void fail() {
        throw new IllegalStateException("failed");
    }

    public static void main(String[] args) throws Exception {
        System.setOut(new java.io.PrintStream("printed")); // jdb loses some of what a program prints at its end
        Demo demo = new Demo();
        String text = "hello";
        for (int i = 0; i < 3; i++) {
            int r = demo.add(i, 10);
            demo.total += text.length() * r;
        }
        try {
            fail();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(total);
    }
}
TEXT
javac -g Demo.java

# shellcheck source=tests/programs/parts/jdb.bash
. "$PARTS/jdb.bash"
jdb_start -classpath . Demo
say 'stop in Demo.add'
say 'catch java.lang.IllegalStateException'
say 'run'
say 'where'
say 'locals'
say 'print a + b'
say 'print this.name.length()'
say 'step'
say 'set sum = 100'
say 'step up'
say 'next'
say 'next'
say 'dump demo'
say 'clear Demo.add'
say 'cont'
say 'where'
jdb_end
grep -E '^(Breakpoint hit|Step completed|Exception occurred|The application)|^ *\[[0-9]+\]|^[0-9]+ +[^ ]|^[a-z .()+]+ = |^ *name: ' plain
cat printed
