#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What comes out of inlined methods, and what instructions throw that have thrown before, lands in the compiled method: its graph, as it is
# compiled last, has these ways.
# @only pellucid
set -eu
cat >Lands.java <<'TEXT'
public class Lands {
    static int element(int[] a, int i) { return a[i]; }
    static int through(int n) { return far(n) + 1; }
    static synchronized int far(int n) { // not inlined
        int sum = 0;
        for (int i = n; i > 0 && i < 30; i += 7)
            sum = sum * 31 + (i ^ n) * (i & 5) - (sum >>> 3);
        if (n % 3 == 0)
            throw new IllegalStateException();
        return sum;
    }
    static int lands(int n, int[] a, Object o) {
        try {
            return through(n) + element(a, n & 7) / (n & 1) + ((String) o).length() + new int[n - 40].length;
        } catch (IllegalStateException | ArithmeticException | ClassCastException e) {
            return 1;
        } catch (IndexOutOfBoundsException | NullPointerException | NegativeArraySizeException e) {
            return 2;
        }
    }
    public static void main(String[] args) {
        long sum = 0;
        Object[] objects = {"text", 5, null};
        for (int i = 1; i < 30000; i++)
            sum += lands(i % 90, new int[i % 9], objects[i / 8 % 3]);
        System.out.println(sum);
    }
}
TEXT
javac Lands.java
java -cp . -Xint Lands
java -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -cp . Lands
java -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:JitPrint=Lands.lands -cp . Lands >all
awk 'function take() { if (text ~ /ThrowNull/) last = text } /^Lands.lands/ { take(); text = "" } { text = text $0 "\n" }
    END { take(); printf "%s", last }' all >last
grep -o 'Throw[A-Z][a-z]*' last | sort -u
grep -q 'CallStatic Lands.far.*} -> b[0-9]* b[0-9]*' last && echo "a call in an inlined method lands"
