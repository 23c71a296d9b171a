#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A method of many loops that is called once is not compiled for each of them: of the loops that wait for the compiler it is the one that was
# seen last, and its code is that of the loops behind it, too (docs/BROKER.md).
# @only pellucid
# @not jit-* its own flags say what is compiled
# @not compiled likewise
set -eu
{
    echo 'public class Main {'
    echo '    static long many(int turns) {'
    echo '        long sum = 0;'
    for i in $(seq 30); do
        echo "        for (int i = 0; i < turns; i++) sum += i ^ $i;"
    done
    echo '        return sum;'
    echo '    }'
    echo '    public static void main(String[] args) throws Exception {'
    echo '        System.out.println(many(30000));'
    echo '        Thread.sleep(1500); // what waits is compiled'
    echo '    }'
    echo '}'
} >Main.java
javac Main.java
java -XX:+PrintCompilation -cp . Main >out
grep -E '^[0-9]+$' out
n=$(grep -c '% .*Main::many @' out) || true
if [ "$n" -le 10 ]; then echo 'few of the loops'; else echo "$n of the loops"; fi
