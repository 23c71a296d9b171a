// SPDX-License-Identifier: Apache-2.0
// MethodEntry and MethodExit of hot methods come as interpreted, in the same order, with the same results: of recursion, exceptions that pass
// frames, synchronized methods, natives, small methods, constructors, calls of interfaces and lambdas, loops that are entered in their middle.
// They are enabled before and after methods are compiled, in the midst of calls, by two environments, for one thread alone. What handlers do
// (throw, force a return, set a breakpoint or a local) takes effect where they are.
// @agent ti_calls
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify
// @javac -g
// @modes asan stress
// @timeout 120
public class Calls {
    static final int ENTRIES = 1, EXITS = 2, BOTH = 3;
    static final int NOTHING = 0, THROW = 1, FORCE = 2, BREAK = 3, LOCAL = 4, DISABLE = 5;
    static native void enable(boolean on, int environment, int events, Thread thread);
    static native int increment(int n);
    static native void record(boolean on, boolean print);
    static native void plan(int what, boolean exit, long count);
    static native void report(String name);

    interface Step {
        int apply(int n);
    }
    static class Point implements Step {
        final int x;
        Point(int x) { this.x = x; }
        int x() { return x; }
        public int apply(int n) { return n + x(); }
    }
    static class Far extends Point {
        final long y;
        Far(int x) { super(x + 1); y = x; }
        @Override public int apply(int n) { return super.apply(n) + (int) y; }
    }

    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static byte narrow(int n) { return (byte) n; }
    static boolean odd(int n) { return (n & 1) != 0; }
    static char letter(int n) { return (char) ('a' + n % 26); }
    static short half(int n) { return (short) (n / 2); }
    static long wide(int n, long l) { return l * n + narrow(n); }
    static float real(int n, float f) { return f * n; }
    static double both(double d, int n) { return d + real(n, 2) + wide(n, 3); }
    static Object object(Object o) { return o; }
    static int[] array(int n) { return n % 2 == 0 ? null : new int[n]; }

    static int thrower(int n) {
        if (n % 7 == 3)
            throw failure;
        return n;
    }
    static int passes(int n) { return thrower(n) + 1; }
    static synchronized int locks(int n) { return passes(n) + 1; }
    synchronized int locksThis(int n) { return locks(n) * 2; }
    static int catches(Calls c, int n) {
        try {
            return c.locksThis(n);
        } catch (RuntimeException e) {
            return -n;
        } finally {
            done(n);
        }
    }
    static void done(int n) { sum += n; }
    static final RuntimeException failure = new RuntimeException();
    static int sum;

    static int loop(int turns) {
        Point p = new Point(3);
        int s = 0;
        for (int i = 0; i < turns; i++)
            s += p.x() + half(i);
        return s;
    }

    static int round(Calls c, Step[] steps, int n) {
        int s = fib(7);
        for (Step step : steps)
            s += step.apply(n);
        s += catches(c, n) + increment(n) + new Far(n).apply(1) + letter(n) + half(n);
        s += (int) both(1.5, n) + (odd(n) ? 1 : 2);
        if (object(c) == null || array(n) == object(steps))
            s++;
        return s;
    }

    // Enables, or disables, in the midst of calls.
    static int toggles(int depth, boolean on) {
        if (depth == 0) {
            enable(on, 1, BOTH, null);
            return 0;
        }
        return toggles(depth - 1, on) + half(depth);
    }
    static int dives(int depth) {
        return depth == 0 ? fib(3) : dives(depth - 1) + half(depth);
    }

    static final Step[] steps = {new Point(1), new Far(2), n -> n * 2, Calls::fib, new Far(3), n -> half(n) + 1};
    static long work(Calls c, int rounds) {
        long s = 0;
        for (int i = 0; i < rounds; i++)
            s = s * 31 + round(c, steps, i % 10);
        return s;
    }
    static void told(String name, Calls c, int rounds) {
        record(true, false);
        long s = work(c, rounds);
        report(name);
        System.out.println("  " + s);
    }
    static void does(String name, Calls c, int what, boolean exit, long count) {
        plan(what, exit, count);
        record(true, false);
        String said;
        try {
            said = "" + work(c, 40);
        } catch (IllegalStateException e) {
            said = e.getMessage();
        }
        plan(NOTHING, false, 0);
        report(name);
        System.out.println("  " + said);
    }

    static volatile boolean stops;
    public static void main(String[] args) throws Exception {
        Calls c = new Calls();
        work(c, 2000);
        enable(true, 1, BOTH, null);
        record(true, true);
        round(c, steps, 3);
        report("one round");
        told("at once", c, 10);
        told("hot", c, 500);
        told("hotter", c, 100);
        record(true, false);
        System.out.println(loop(60_000));
        report("a loop");
        enable(false, 1, EXITS, null);
        told("entries alone", c, 50);
        enable(false, 1, ENTRIES, null);
        told("nothing", c, 1000);
        System.out.println(loop(60_000));
        for (int i = 0; i < 20; i++) {
            record(true, false);
            toggles(20, true);
            toggles(20, false);
            report("in the midst");
            dives(100);
        }
        enable(true, 1, BOTH, null);
        enable(true, 2, EXITS, null);
        told("two", c, 200);
        does("throws at entry", c, THROW, false, 777);
        does("throws at exit", c, THROW, true, 778);
        does("throws at another entry", c, THROW, false, 1000);
        does("throws at another exit", c, THROW, true, 1007);
        does("forces at entry", c, FORCE, false, 600);
        does("forces at exit", c, FORCE, true, 1111);
        does("breaks at entry", c, BREAK, false, 500);
        told("hot again", c, 500);
        does("breaks at exit", c, BREAK, true, 900);
        told("hot once more", c, 500);
        for (int i = 0; i < 30; i++)
            does("sets a local", c, LOCAL, false, 300 + i * 3);
        does("reads a local", c, LOCAL, true, 333);
        does("disables", c, DISABLE, true, 1234);
        enable(false, 2, EXITS, null);
        System.out.println(sum);
        enable(true, 1, BOTH, Thread.currentThread());
        Thread other = new Thread(() -> {
            record(true, false);
            while (!stops)
                work(new Calls(), 10);
            report("not of the other thread");
        });
        told("of one thread", c, 200);
        other.start();
        stops = true;
        other.join();
        enable(false, 1, BOTH, Thread.currentThread());
        told("of none", c, 100);
    }
}
