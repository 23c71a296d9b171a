#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A loop that begins with operands on the stack gets code that is entered in its middle: no compilation of it is refused.
# @only pellucid
# @not jit-all what options there are, or what they make the compiler do, is looked at
set -eu
cat >Main.java <<'TEXT'
public class Main {
    static long sum(long a, int n) {
        return a + switch (n & 1) { // a waits on the stack
            default -> {
                int sum = 0;
                for (int i = 0; i < n; i++)
                    sum += i;
                yield sum;
            }
        };
    }
    public static void main(String[] args) {
        System.out.println(sum(1L << 40, 60000));
    }
}
TEXT
javac Main.java
java -Xbatch -XX:+PrintCompilation -cp . Main | sed -nE 's/^ *[0-9]+ +[0-9]+ +(%?)[ b!]*[0-9] +(Main::.*)/\1 \2/p; /^[0-9]+$/p'
