// SPDX-License-Identifier: Apache-2.0
// Monitors of objects that compiled code has not made: nobody enters them but the code, which records them alone. Where somebody looks after all
// (code that never ran before, exceptions, a tool, a stack overflow), the object is there and is held as often as the bytecodes say, others
// wait for it, and it is free again behind that. What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05 -XX:-DoEscapeAnalysis -Xmx32m
// @modes stress
// @timeout 180
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

public class UnseenLocks {
    static class Cell {
        int x;
        synchronized void add(int k) { x += k; }
        synchronized void twice(int k) {
            add(k);
            add(k + 1);
        }
        synchronized int get() { return x; }
        synchronized int element(int[] a, int i) { return x + a[i]; }
        synchronized int spins(int n) {
            for (int i = 0; i < n; i++)
                x += i;
            return x;
        }
    }
    static class Named extends Cell {
        final String name;
        Named(String name) { this.name = name; }
    }

    static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    // How often this thread has entered the monitor of o, by exiting it.
    static String look(Object o) {
        StringBuilder b = new StringBuilder();
        b.append(Thread.holdsLock(o)).append(' ').append(o.hashCode() == System.identityHashCode(o));
        boolean[] entered = {false};
        Thread other = new Thread(() -> {
            synchronized (o) {
                entered[0] = true;
            }
        });
        other.start();
        try {
            other.join(Thread.holdsLock(o) ? 20 : 10000);
        } catch (InterruptedException e) {
            b.append(e);
        }
        synchronized (UnseenLocks.class) {
            b.append(" other ").append(entered[0]);
        }
        waiting = other;
        return b.toString();
    }
    static Thread waiting;
    static String free() {
        try {
            waiting.join();
        } catch (InterruptedException e) {
            return e.toString();
        }
        return " then free";
    }

    static int plain(int n) {
        Object o = new Object();
        int s = 0;
        for (int i = 0; i < n; i++)
            synchronized (o) {
                s += i;
            }
        return s;
    }
    static String never(int n) {
        Cell c = new Cell();
        synchronized (c) {
            c.x = n;
            if (n == 3000)
                return look(c);
        }
        return c.x == n ? null : "wrong";
    }
    static String nested(int n) {
        Cell c = new Cell(), d = new Named("d");
        synchronized (c) {
            synchronized (d) {
                synchronized (c) {
                    c.twice(n);
                    d.add(c.get());
                    if (n == 3000)
                        return look(c) + " " + look(d) + " " + ((Named) d).name + d.get();
                }
            }
            c.add(1);
        }
        return c.get() == 2 * n + 2 && d.get() == 2 * n + 1 ? null : "wrong";
    }
    static String between(int n) { // held once, twice, once
        Cell c = new Cell();
        synchronized (c) {
            synchronized (c) {
                c.x++;
            }
            c.x += n;
            if (n == 3000) {
                String s = look(c);
                return s;
            }
        }
        return null;
    }
    static String thrown(int[] a, int i) {
        Cell c = new Cell();
        c.x = i;
        try {
            synchronized (c) {
                c.x += a[i];
            }
        } catch (ArrayIndexOutOfBoundsException e) {
            return e.getMessage() + " " + look(c) + free() + c.x;
        }
        return null;
    }
    static String left(int[] a, int i) { // by an exception, out of an inlined method
        Cell c = new Cell();
        c.add(i);
        try {
            return c.element(a, i) == 2 * i ? null : "wrong";
        } catch (ArrayIndexOutOfBoundsException e) {
            return e.getStackTrace()[0].getMethodName() + " " + look(c) + free() + c.x;
        }
    }
    static int held(Cell c, int n) {
        synchronized (c) {
            return n > 2000 ? late(c) : n;
        }
    }
    static int late(Cell c) { return Thread.holdsLock(c) ? 1 : 0; }
    static String called(int n) {
        return held(new Cell(), n) == (n > 2000 ? 1 : n) ? null : "wrong";
    }
    static String collects(int n) {
        Named c = new Named("n" + (n & 3)), d = new Named(c.name);
        synchronized (c) {
            synchronized (d) {
                c.x = n;
                d.x = -n;
                if (n == 3000) {
                    System.gc();
                    String s = c.name + d.name + c.x + d.x + look(d);
                    System.gc();
                    return s + look(c);
                }
            }
        }
        return null;
    }
    static int depth;
    static int deep(int n) {
        Cell c = new Cell();
        depth++;
        synchronized (c) {
            c.x = n == 0 ? bottom() : deep(n - 1);
            return c.get() + 1;
        }
    }
    static boolean counts;
    static int bottom() {
        if (counts) {
            ThreadInfo own = threads.getThreadInfo(new long[] {Thread.currentThread().getId()}, true, false)[0];
            int cells = 0, fits = 0;
            for (MonitorInfo m : own.getLockedMonitors()) {
                cells += m.getClassName().endsWith("Cell") ? 1 : 0;
                fits += own.getStackTrace()[m.getLockedStackDepth()].getMethodName().equals("deep") ? 1 : 0;
            }
            System.out.println("locked " + cells + " " + fits);
        }
        return 0;
    }
    static int endless(int n) {
        Cell c = new Cell();
        synchronized (c) {
            c.x = n;
            return n < 0 ? 1 : endless(n + 1) + c.x;
        }
    }

    static volatile boolean stop;
    static long work() {
        long s = 0;
        while (!stop) {
            Cell c = new Cell();
            synchronized (c) {
                c.add(1);
                s += c.spins(200);
            }
        }
        return s;
    }
    static void sample() throws InterruptedException {
        Thread t = new Thread(UnseenLocks::work, "worker");
        t.start();
        int held = 0, wrong = 0;
        for (int turn = 0; turn < 20000 && (turn < 300 || held < 20); turn++) {
            ThreadInfo info = threads.getThreadInfo(new long[] {t.getId()}, true, false)[0];
            for (MonitorInfo m : info.getLockedMonitors()) {
                String in = m.getLockedStackFrame().getMethodName();
                wrong += m.getClassName().equals("UnseenLocks$Cell") && (in.equals("work") || in.equals("add") || in.equals("spins")) ? 0 : 1;
            }
            held += info.getLockedMonitors().length > 0 ? 1 : 0;
            if (turn % 50 == 0)
                Thread.sleep(1);
        }
        stop = true;
        t.join();
        System.out.println("sampled " + (held > 0) + " wrong " + wrong);
    }

    public static void main(String[] args) throws Exception {
        int[] a = new int[3000];
        for (int i = 0; i < a.length; i++)
            a[i] = i;
        int bad = 0, sum = 0;
        for (int n = 0; n < 3000; n++) {
            bad += never(n) == null ? 0 : 1;
            bad += nested(n) == null ? 0 : 1;
            bad += between(n) == null ? 0 : 1;
            bad += thrown(a, n) == null ? 0 : 1;
            bad += left(a, n) == null ? 0 : 1;
            bad += called(Math.min(n, 2000)) == null ? 0 : 1;
            bad += collects(n) == null ? 0 : 1;
            sum += plain(n & 63) + deep(n & 7);
        }
        System.out.println(bad + " " + sum + " " + depth + " " + plain(100000));
        System.out.println(never(3000) + free());
        System.out.println(nested(3000) + free());
        System.out.println(between(3000) + free());
        System.out.println(thrown(a, 3000));
        System.out.println(left(a, 3000));
        System.out.println(called(2001) + called(2002));
        System.out.println(collects(3000) + free());
        counts = true;
        System.out.println(deep(100));
        System.out.println(deep(3));
        for (int turn = 0; turn < 3; turn++)
            try {
                System.out.println(endless(0));
            } catch (StackOverflowError e) {
                System.out.println("overflow");
            }
        for (int i = 0; i < 300; i++)
            if (endless(-1) != 1)
                bad++;
        ThreadInfo own = threads.getThreadInfo(new long[] {Thread.currentThread().getId()}, true, false)[0];
        System.out.println(own.getLockedMonitors().length + " " + bad);
        sample();
    }
}
