#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Methods with more values than registers, and divisions, which want registers of their own: all are compiled, and do the same.
# @only pellucid
# @not jit-* its own flags say what is compiled
# @not compiled likewise
set -eu
# Random methods of one type: values that live over a loop which divides and adds them. awk's numbers are the same everywhere.
generate() {
    awk -v seed="$1" -v count=60 '
function next_number(n) { seed = (seed * 16807) % 2147483647; return int(seed / 8) % n }
function value() { return "v" next_number(values) }
BEGIN {
    print "public class Main {"
    for (m = 0; m < count; m++) {
        values = 9 + next_number(6); type = next_number(2) ? "int" : "long"
        print "    static " type " m" m "(" type " a, " type " b) {"
        for (i = 0; i < values; i++) print "        " type " v" i " = a * " 3 + next_number(97) " + b;"
        print "        for (int i = 1; i < 30; i++) {"
        for (k = 4 + next_number(6); k > 0; k--) {
            op = substr("/%/%*+^", 1 + next_number(7), 1)
            by = next_number(3) ? value() : "i"
            if (op == "/" || op == "%") by = "(" by " | 1)"
            print "            " value() " = " value() " " op " " by (next_number(2) ? " + " value() : "") ";"
            if (!next_number(5)) print "            if (" value() " > " value() ") " value() " >>= " value() ";"
        }
        print "        }"
        printf "        return v0"
        for (i = 1; i < values; i++) printf " ^ v%d", i
        print ";\n    }"
    }
    print "    public static void main(String[] args) {\n        long sum = 0;\n        for (int i = 0; i < 400; i++)"
    printf "            sum = sum * 31"
    for (m = 0; m < count; m++) printf " + m%d(i, i * 7)", m
    print ";\n        System.out.println(sum);\n    }\n}"
}' >Main.java
}
for seed in 1 2 3 4; do
    generate $seed
    javac Main.java
    java -cp . -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+PrintCompilation Main >out
    echo "compiled $(grep -oE 'Main::m[0-9]+' out | sort -u | wc -l), refused $(grep -c 'more values' out), the same: $([ "$(tail -1 out)" = "$(java -cp . -Xint Main)" ] && echo yes)"
done
