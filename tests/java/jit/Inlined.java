// SPDX-License-Identifier: Apache-2.0
// Methods that are inlined nine deep look as if they were called: in stack traces with their lines, to stack walkers, to exceptions that
// come out of them, when they leave in the middle, when a class is loaded that overrides one of them, when they recurse, loop, lock and
// allocate. What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:+JitInlineAll -XX:CompileThresholdScaling=0.05 -Xmx24m
// @modes asan stress
// @timeout 180
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

public class Inlined {
    static class Point {
        private int x;
        private long y;
        private final Object tag;
        Point(int x, long y, Object tag) {
            this.x = x;
            this.y = y;
            this.tag = tag;
        }
        int x() { return x; }
        long y() { return y; }
        void move(int dx, long dy) {
            x += dx;
            y += dy;
        }
        Object tag() { return tag; }
        long sum() { return x() + y(); }
        boolean same(Point p) { return p.x() == x() && p.y() == y(); }
    }
    static class Base {
        int kind() { return 1; }
        int twice() { return kind() * 2; }
    }
    static class Over extends Base { // loaded late
        @Override int kind() { return 7; }
    }
    static class Finalized {
        static int count;
        @Override @SuppressWarnings("removal") protected void finalize() { count++; }
    }

    static long points(int turns) {
        Point p = new Point(1, 2, "tag"), q = new Point(3, 4, null);
        long sum = 0;
        for (int i = 0; i < turns; i++) {
            p.move(i, -i);
            q.move(1, 1);
            sum += p.sum() * 3 + q.sum() + (p.same(q) ? 1 : 0) + (p.tag() == null ? 100 : 0);
            if (i % 64 == 0)
                q = new Point(i, i, p.tag());
        }
        return sum;
    }

    // ---- nine deep ----
    static int d9(int k, int[] a) { return a[k & 7] / (k % 11); }
    static int d8(int k, int[] a) { return d9(k + 1, a) + 8; }
    static int d7(long w, int k, int[] a) { return d8(k, a) + (int) w; }
    static int d6(int k, double d, int[] a) { return d7((long) d, k, a) * 2; }
    static int d5(int k, int[] a) {
        int s = 0;
        for (int i = 0; i < 3; i++)
            s += d6(k + i, i * 1.5, a);
        return s;
    }
    static int d4(int k, int[] a) { return k % 2 == 0 ? d5(k, a) : d5(k + 1, a) - 1; }
    static int d3(int k, int[] a) { return d4(k, a); }
    static int d2(int k, int[] a) {
        String s = "two" + k;
        return d3(k, a) + s.length();
    }
    static int d1(int k, int[] a) { return d2(k, a) ^ 1; }

    static String deep(int k, int[] a) {
        try {
            return "" + d1(k, a);
        } catch (ArithmeticException | NullPointerException | ArrayIndexOutOfBoundsException e) {
            StringBuilder s = new StringBuilder(e.getClass().getSimpleName());
            for (StackTraceElement f : e.getStackTrace())
                if (f.getClassName().equals("Inlined"))
                    s.append(' ').append(f.getMethodName()).append(':').append(f.getLineNumber());
            return s.toString();
        }
    }

    // ---- who calls ----
    static List<String> frames() {
        return StackWalker.getInstance().walk(s -> s.map(f -> f.getMethodName() + ":" + f.getLineNumber()).limit(5)
            .collect(Collectors.toList()));
    }
    static List<String> w1(int k) { return k == 0 ? null : frames(); }
    static List<String> w2(int k) {
        Object kept = new int[k & 3];
        List<String> l = w1(k);
        return kept == null ? null : l;
    }
    static List<String> walk(int k) { return w2(k); }

    // ---- exceptions thrown and caught around inlined frames ----
    static int thrower(int k) {
        if (k % 5 == 3)
            throw new IllegalStateException("k" + k);
        return k;
    }
    static int between(int k) { return thrower(k) + 1; }
    static int caught(int k) {
        int r = k;
        try {
            r += between(k);
            r += between(k + 1);
        } catch (IllegalStateException e) {
            r = r * 10 + e.getMessage().length();
        } finally {
            r++;
        }
        return r;
    }
    static int locked(Object o, int k) {
        synchronized (o) {
            return between(k) + (Thread.holdsLock(o) ? 1 : 1000);
        }
    }

    // ---- recursion, narrow results ----
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static byte narrow(int k) { return (byte) k; }
    static char wide(int k) { return (char) (k * 77); }
    static boolean odd(int k) { return (k & 1) != 0; }
    static long mixed(int k) { return narrow(k * 3) + wide(k) + (odd(k) ? 5 : 7); }
    static int overflow(int k) { return over(k + 1) + 1; }
    static int over(int k) { return overflow(k + 1) - 1; }

    static Object makeFinalized(int turns) {
        Object last = null;
        for (int i = 0; i < turns; i++)
            last = new Finalized();
        return last;
    }

    public static void main(String[] args) throws Exception {
        int[] a = {1, 2, 3, 40, 5, 6, 700, 8};
        long sum = 0;
        StringBuilder told = new StringBuilder();
        Base base = new Base();
        for (int i = 0; i < 3000; i++) {
            sum += points(5) + fib(9) + mixed(i) + base.twice();
            String s = deep(i, i % 701 == 9 ? null : a);
            sum += s.hashCode();
            if (i % 700 == 9)
                told.append(s).append('\n');
            List<String> w = walk(i & 7);
            if (i % 1000 == 999)
                told.append(w).append('\n');
            sum += caught(i);
            try {
                sum += locked(a, i);
            } catch (IllegalStateException e) {
                sum += e.getMessage().hashCode();
            }
            if (Thread.holdsLock(a))
                throw new AssertionError("held");
            if (i == 2000)
                base = new Over();
        }
        told.append(sum).append('\n');
        try {
            overflow(0);
        } catch (StackOverflowError e) {
            told.append("overflow\n");
        }
        makeFinalized(3000);
        for (int i = 0; i < 100 && Finalized.count < 2990; i++) {
            System.gc();
            Thread.sleep(20);
        }
        told.append(Finalized.count >= 2990 ? "finalized" : "finalized " + Finalized.count).append('\n');
        System.out.print(told);
    }
}
