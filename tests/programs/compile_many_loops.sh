#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A method of many loops that is called once, each behind what was not resolved when code was made for the one before, is not compiled for
# each of them; one that runs for long still is (docs/BROKER.md).
# @only pellucid
# @not jit-* its own flags say what is compiled
# @not compiled likewise
set -eu
{
    echo 'public class Main {'
    for i in $(seq 31); do
        echo "    static class C$i { static int n = $i; }"
    done
    echo '    static long many(int few, int turns) {'
    echo '        long sum = 0;'
    for i in $(seq 30); do
        echo "        for (int i = 0; i < few; i++) sum += i ^ C$i.n;"
    done
    echo '        for (int i = 0; i < turns; i++) sum += i % C31.n;'
    echo '        return sum;'
    echo '    }'
    echo '    public static void main(String[] args) { System.out.println(many(30000, 20000000)); }'
    echo '}'
} >Main.java
javac Main.java
java -Xbatch -XX:+PrintCompilation -cp . Main >out
grep -E '^[0-9]+$' out
n=$(grep -c '% .*Main::many @' out)
last=$(javap -c Main | sed -n '/long many/,/lreturn/s/.*goto *\([0-9]*\)$/\1/p' | tail -1)
if [ "$n" -ge 5 ] && [ "$n" -le 10 ]; then echo 'few of the loops'; else echo "$n loops"; fi
if grep -q "% .*Main::many @ $last " out; then echo 'the last among them'; else grep Main::many out; fi
