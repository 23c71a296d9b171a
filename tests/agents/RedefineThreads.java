// SPDX-License-Identifier: Apache-2.0
// A class is redefined over and over while eight threads call it by every kind of call, are in its methods, and throw out of them;
// two more threads retransform it and its interface.
// @agent ti_redefine
// @quick
// @timeout 120
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

interface BusyI {
    int apply(int x);

    default int twice(int x) {
        return apply(apply(x));
    }
}
interface BusyJ {
    int apply(int x);

    default int twice(int x) {
        int once = apply(x);
        return apply(once);
    }
}
class BusyA implements BusyI {
    static int calls;
    int sum;
    static int one(int x) { return x + 1; }
    public int apply(int x) { return x + 3; }
    synchronized int locked(int x) { return sum += x; }
    IntSupplier lambda(int x) { return () -> x * 2; }
    static String text(int x) { return "n" + x; }
    static int loop(int n) {
        int s = 0;
        for (int i = 0; i < n; i++)
            s += one(i);
        return s;
    }
    static int thrown(int x) {
        try {
            throw new IllegalStateException("x" + x);
        } catch (IllegalStateException e) {
            return e.getMessage().length();
        }
    }
}
class BusyB implements BusyI {
    static int calls;
    int sum;
    static int one(int x) { int y = 1; return y + x; }
    public int apply(int x) { return 4 + x - 1; }
    synchronized int locked(int x) { sum = sum + x; return sum; }
    IntSupplier lambda(int x) { return () -> x + x; }
    static String text(int x) { return new StringBuilder().append('n').append(x).toString(); }
    static int loop(int n) {
        int s = 0, i = 0;
        while (i < n)
            s += one(i++);
        return s;
    }
    static int thrown(int x) {
        String text = "x" + x;
        try {
            throw new IllegalStateException(text);
        } catch (RuntimeException e) {
            return e.getMessage().length();
        }
    }
}

public class RedefineThreads extends Redefiner {
    static final AtomicInteger wrong = new AtomicInteger(), rounds = new AtomicInteger();
    static volatile boolean stop;
    static MethodHandle virtual, stat;
    static Method reflected;

    static void check(String what, int expected, int seen) {
        if (expected != seen && wrong.incrementAndGet() < 5)
            System.out.println(what + ": " + seen + " and not " + expected);
    }

    static void round(int i) throws Throwable {
        BusyA a = new BusyA();
        BusyI b = a;
        check("static", i + 1, BusyA.one(i));
        check("virtual", i + 3, a.apply(i));
        check("interface", i + 3, b.apply(i));
        check("default", i + 6, b.twice(i));
        check("locked", i, a.locked(i));
        check("lambda", i * 2, a.lambda(i).getAsInt());
        check("text", 1 + Integer.toString(i).length(), BusyA.text(i).length());
        check("loop", 20 * 21 / 2, BusyA.loop(20));
        check("thrown", 1 + Integer.toString(i).length(), BusyA.thrown(i));
        check("handle", i + 3, (int) virtual.invokeExact(a, i));
        check("static handle", i + 1, (int) stat.invokeExact(i));
        check("reflected", i + 1, (Integer) reflected.invoke(null, i));
        rounds.incrementAndGet();
    }

    static Thread start(int n) {
        Thread t = new Thread(() -> {
            try {
                for (int i = n; !stop; i = (i + 1) % 1000)
                    round(i);
            } catch (Throwable e) {
                wrong.incrementAndGet();
                e.printStackTrace(System.out);
            }
        });
        t.start();
        return t;
    }

    static Thread retransformer(Class<?> c) {
        Thread t = new Thread(() -> {
            while (!stop) {
                check("retransform", 0, retransform(c));
                LockSupport.parkNanos(20_000_000); // HotSpot's other threads would starve
            }
        });
        t.start();
        return t;
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        virtual = l.findVirtual(BusyA.class, "apply", MethodType.methodType(int.class, int.class));
        stat = l.findStatic(BusyA.class, "one", MethodType.methodType(int.class, int.class));
        reflected = BusyA.class.getDeclaredMethod("one", int.class);
        byte[][] versions = {as(BusyA.class, "BusyB"), file("BusyA")};
        byte[][] faces = {as(BusyI.class, "BusyJ"), file("BusyI")};
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++)
            threads[i] = start(i);
        Thread[] others = {retransformer(BusyA.class), retransformer(BusyI.class)};
        for (int i = 0; i < 20; i++) {
            int before = rounds.get();
            check("redefine", 0, redefine(new Class<?>[] {BusyA.class, BusyI.class}, new byte[][] {versions[i % 2], faces[i % 2]}));
            while (rounds.get() < before + 4)
                Thread.yield();
        }
        stop = true;
        for (Thread t : threads)
            t.join();
        for (Thread t : others)
            t.join();
        System.out.println("wrong " + wrong);
    }
}
