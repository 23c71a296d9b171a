// SPDX-License-Identifier: Apache-2.0
// Runs of instructions that an engine may do as one: each is stepped through, gets a breakpoint at each of its instructions in turn and
// at all of them, with the locals read at every stop; exceptions are thrown from the middle of them.
// @agent ti_fused
// @javac -g
// @quick
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Supplier;

public class Fused {
    static native void watch(Class<?> c);

    static native void step(boolean on);

    // A breakpoint in the method of class Work that has this name.
    static native void breakAt(String method, int location);

    static native void clearAt(String method, int location);

    // The locations reported since the last call, with what the locals held; and the locations alone.
    static native String events();

    static native int[] locations();

    static class Cell {
        int i = 3;
        long j = 4;
        double d = 0.5;
        byte b = -1;
        char c = 'c';
        short s = -7;
        boolean z = true;
        Cell next;

        int getInt() {
            return i;
        }

        Cell getNext() {
            return next;
        }
    }

    static class Work {
        static int arithmetic(int a, int b) {
            int r = a + b;
            r = r - a;
            r = r * 31;
            r = b & 12;
            r |= a | 1;
            r ^= a ^ b;
            r += (a << 3) + (b >> 1) - (r >>> 2);
            r = (a - 1) * (b + 1) - (a * b);
            int s = (r & a) + (r | b) + (r ^ 7) + (r << b) + (r >> a) + (r >>> b);
            s = s - a * 5 + b;
            s = (s >> 3) ^ (s << 2);
            return s;
        }

        static int branches(int n) {
            int c = 0;
            for (int i = 0; i < n; i++) {
                if (i == 2)
                    c += 1;
                if (i != n)
                    c += 2;
                if (i + 1 > n)
                    c += 4;
                if (i * 2 <= n)
                    c += 8;
                if (c >= 100 || c < -100)
                    c -= 50;
                if (i == 0)
                    continue;
                if ((c & 1) != 0)
                    c++;
                if (c - n > i)
                    c--;
            }
            while (c > 3)
                c >>= 1;
            return c;
        }

        static long wide(long a, int b) {
            long s = a + b;
            for (long j = 0; j < b; j += 2) {
                s = s + j;
                s -= a;
                if (s == j || s > 1000 || s < -1000 || s != a)
                    s += (int) j;
            }
            double d = s * 0.5 + a;
            d = d + 1.5;
            d += d * a;
            return s + (long) d;
        }

        static int arrays(int[] x, byte[] y, char[] z, boolean[] w, int i) {
            int s = x[i] + y[i] + z[i];
            x[i] = s;
            w[i] = true;
            y[i] = 3;
            w[1] = false;
            return s + x[i] + (w[i] ? 1 : 0);
        }

        static double matrix(double[][] a, Object[] o, int i) {
            double s = 0;
            for (int k = 0; k < 2; k++)
                s += a[i][k] * a[k][i];
            return o[i] == null ? s : -s;
        }

        static long fields(Cell x) {
            x.i += 5;
            x.i -= 2;
            x.j += x.i;
            x.d += 0.25;
            Cell y = x.next;
            int s = x.b + x.c + x.s + (x.z ? 1 : 0);
            y.j += 7;
            if (y != x && y.next == null)
                s += y.getInt();
            if (x.getNext() == y)
                s++;
            y.next = x;
            return s + x.j + y.next.i + (long) x.d;
        }

        static Object references(Object a, Object b) {
            if (a == null)
                return b;
            if (b != null)
                a = b;
            Object c = a;
            return c;
        }
    }

    static Cell cells() {
        Cell x = new Cell();
        x.next = new Cell();
        return x;
    }

    // A fresh set of arguments each time; the name of the method first.
    static final String[] NAMES = {
        "arithmetic", "branches", "wide", "arrays", "arrays", "arrays", "matrix", "matrix", "fields", "fields", "fields",
        "references",
    };
    static final List<Supplier<Object>> CALLS = new ArrayList<>();

    static {
        CALLS.add(() -> Work.arithmetic(13, 5));
        CALLS.add(() -> Work.branches(6));
        CALLS.add(() -> Work.wide(3, 5));
        CALLS.add(() -> Work.arrays(new int[3], new byte[3], new char[3], new boolean[3], 2));
        CALLS.add(() -> Work.arrays(new int[3], new byte[3], new char[3], new boolean[1], 2));
        CALLS.add(() -> Work.arrays(new int[3], null, new char[3], new boolean[3], 2));
        CALLS.add(() -> Work.matrix(new double[][] {{1, 2}, {3, 4}}, new Object[2], 1));
        CALLS.add(() -> Work.matrix(new double[][] {{1, 2}, null}, new Object[2], 0));
        CALLS.add(() -> Work.fields(cells()));
        CALLS.add(() -> Work.fields(null));
        CALLS.add(() -> Work.fields(new Cell()));
        CALLS.add(() -> Work.references("a", null));
    }

    static String run(int k) {
        try {
            return String.valueOf(CALLS.get(k).get());
        } catch (RuntimeException e) {
            StackTraceElement at = e.getStackTrace()[0];
            return e.getClass().getName() + " " + at.getMethodName() + ":" + at.getLineNumber();
        }
    }

    static void examine(int k) {
        String name = NAMES[k];
        System.out.println(name + ": " + run(k) + " " + run(k));
        events();
        step(true);
        String stepped = run(k);
        step(false);
        TreeSet<Integer> at = new TreeSet<>();
        for (int location : locations())
            at.add(location);
        System.out.println("  stepped " + stepped + events());
        for (int location : at) {
            breakAt(name, location);
            String hit = run(k);
            clearAt(name, location);
            System.out.println("  at " + location + " " + hit + " then " + run(k) + events());
        }
        for (int location : at)
            breakAt(name, location);
        System.out.println("  at all " + run(k) + events());
        step(true);
        stepped = run(k);
        step(false);
        System.out.println("  and stepped " + stepped + events());
        for (int location : at)
            if (location != 0)
                clearAt(name, location);
        System.out.println("  at 0 " + run(k) + events());
        clearAt(name, 0);
        System.out.println("  again " + run(k) + events());
    }

    public static void main(String[] args) {
        watch(Work.class);
        for (int k = 0; k < CALLS.size(); k++)
            run(k);
        for (int k = 0; k < CALLS.size(); k++)
            examine(k);
    }
}
