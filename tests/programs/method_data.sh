#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -XX:+PrintMethodData: what is counted of methods (docs/PROFILES.md). With -XX:ProfileThreshold=1 counts are exact from the first call.
# @only pellucid
# @not jit-all what options there are, or what they make the compiler do, is looked at
set -eu
cat >Counts.java <<'TEXT'
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;

public class Counts {
    interface Shape { int area(); }
    static class One implements Shape { public int area() { return 1; } }
    static class Two implements Shape { public int area() { return 2; } }
    static class Three implements Shape { public int area() { return 3; } }
    static final Shape[] shapes = {new One(), new Two(), new Three(), null};

    static int sites(Object o, Object[] into) {
        into[0] = o;
        Shape s = (Shape) o;
        return o instanceof Two ? o.hashCode() : s == null ? 0 : s.area();
    }

    static int loop(int n) {
        int turns = 0;
        for (int i = 0; i < n; i++) {
            if (i % 4 == 0)
                turns++;
        }
        do {
            n--;
        } while (n > 0);
        switch (turns) {
        case 1: return 5;
        default: return turns;
        }
    }

    static int catches(int i) {
        try {
            if (i == 3)
                throw new IOException();
            return 10 / (i - 4);
        } catch (ArithmeticException e) {
            return 1;
        } catch (IOException e) {
            return 2;
        } catch (NullPointerException e) {
            return 3;
        }
    }

    static void many() { }
    static int ripe(int n) { return n < 0 ? 1 : 0; }
    static boolean loaded(Object o) { return o instanceof Runnable; }

    static void unload() throws Exception {
        URL[] where = {Counts.class.getProtectionDomain().getCodeSource().getLocation()};
        try (URLClassLoader l = new URLClassLoader(where, null)) {
            loaded(l.loadClass("Gone").getDeclaredConstructor().newInstance());
        }
        loaded("stays");
    }

    public static void main(String[] args) throws Exception {
        Object[] into = {null};
        for (int i = 0; i < 40; i++)
            sites(shapes[i % 4], into);
        loop(8);
        loop(100);
        for (int i = 0; i < 9; i++)
            catches(i);
        for (int i = 0; i < 70000; i++)
            many();
        for (int i = 0; i < 20000; i++)
            ripe(i);
        unload();
        for (int i = 0; i < 20; i++)
            System.gc();
    }
}
TEXT
cat >Gone.java <<'TEXT'
public class Gone { }
TEXT
cat >Warm.java <<'TEXT'
public class Warm {
    static int warm(int n) { return n < 300 ? 1 : 2; }
    static int cold(int n) { return n < 300 ? 1 : 2; }
}
TEXT
cat >RunWarm.java <<'TEXT'
public class RunWarm {
    static int turns(int n) {
        while (n > 0)
            n--;
        return n;
    }
    public static void main(String[] args) {
        for (int i = 0; i < 400; i++)
            Warm.warm(i);
        for (int i = 0; i < 255; i++)
            Warm.cold(i);
        turns(10000);
    }
}
TEXT
javac Counts.java Gone.java RunWarm.java
# The methods of one class, by name; the lines of one method stay together.
methods() {
    awk -v class="^$1\\\\." '/^[^ ]/ { on = $0 ~ class; name = $0 } on { print name "\t" NR "\t" $0 }' | sort -t"$(printf '\t')" -k1,1 -k2,2n | cut -f3
}
echo "-- exact"
java -XX:+UnlockDiagnosticVMOptions -XX:-JitCompile -XX:+PrintMethodData -XX:ProfileThreshold=1 -Xmx64m -cp . Counts | methods Counts
echo "-- from a weight of 256; loops are counted by a budget of 512 to 1535 turns"
java -XX:+UnlockDiagnosticVMOptions -XX:-JitCompile -XX:+PrintMethodData -cp . RunWarm >warm
methods Warm <warm
loops=$(sed -n 's/^RunWarm.turns(I)I: 1 calls, \([0-9]*\) loops, \1 of one activation$/\1/p' warm)
[ "$loops" -gt 8464 ] && [ "$loops" -lt 11536 ] && echo "turns within the budget"
head -1 warm | sed 's/[0-9][0-9]*/n/g'
echo "-- without the flag"
java -XX:+UnlockDiagnosticVMOptions -XX:-JitCompile -XX:ProfileThreshold=1 -cp . RunWarm
echo "-- wrong thresholds"
for n in 0 257 x; do
    java -XX:+UnlockDiagnosticVMOptions -XX:ProfileThreshold=$n -cp . RunWarm 2>&1 | head -1
done
java -XX:ProfileThreshold=1 -cp . RunWarm 2>&1 | head -2
