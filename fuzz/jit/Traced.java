// SPDX-License-Identifier: Apache-2.0
// Runs with -XX:JitTrace, interpreted and compiled: the traces are equal, and are not with a miscompilation (planted.py --trace).
import java.util.ArrayList;
import java.util.List;

public class Traced {
    int count;
    String name;
    Traced next;

    static int sum(int[] a, int k) {
        int sum = 0;
        for (int i = a.length - 1; i >= 0; i--)
            sum += a[i] * mix(k, i);
        return sum;
    }
    static int mix(int k, int i) {
        return (k ^ i) & 7;
    }
    long change(int n) {
        long t = 0;
        for (int i = 0; i < n; i++) {
            t += i;
            count++;
            if (i % 3 == 0)
                next = new Traced();
        }
        return t;
    }
    static double halve(double v) {
        do
            v = v / 2 + 1;
        while (v > 2.1);
        return v;
    }
    static int caught(int i) {
        try {
            if (i % 5 == 0)
                throw new IllegalStateException("x" + i);
            return i;
        } catch (IllegalStateException e) {
            return -i;
        } finally {
            synchronized (Traced.class) {
                i++;
            }
        }
    }
    static int choose(int i) {
        for (;;)
            switch (i & 3) {
            case 0: return i;
            case 1: i += 3; continue;
            default: i--;
            }
    }

    public static void main(String[] args) {
        int[] a = new int[20];
        long total = 0;
        Traced o = new Traced();
        for (int i = 0; i < 200; i++) {
            total += sum(a, i) + o.change(5) + (long) halve(i) + caught(i) + choose(i);
            a[i % 20] = i;
            o.name = "n" + i;
        }
        List<String> l = new ArrayList<>();
        for (int i = 0; i < 50; i++)
            l.add("s" + i);
        l.sort((p, q) -> q.compareTo(p));
        System.out.println(total + l.get(3));
    }
}
