// SPDX-License-Identifier: Apache-2.0
// Methods that run while their class is redefined: they go on in the old version.
// @agent ti_redefine
// HotSpot knows the lines of an old version through JVM TI only: "Unknown Source" in stack traces.
// @mask \((RedefineFrames.java:\d+|Unknown Source)\)
// @quick
import java.util.concurrent.CountDownLatch;
import java.lang.StackWalker;

class FrA {
    static Runnable inside;
    static String same(Runnable r) {
        r.run();
        return "same";
    }
    static String text(Runnable r) {
        String a = "old";
        r.run();
        return a + helper() + constant();
    }
    static String helper() { return " helper1"; }
    static String constant() { return " constant1"; }
    static void fail(Runnable r) {
        r.run();
        throw new IllegalStateException("old");
    }
    static RuntimeException make() { return new RuntimeException("made"); }
    synchronized int locked(Runnable r) { r.run(); return 1; }
}
class FrB {
    static Runnable inside;
    static String same(Runnable r) {
        r.run();
        return "same";
    }

    static String text(Runnable r) {

        String a = "new";
        r.run();
        return a + helper() + constant();
    }
    static String helper() { return " helper2"; }
    static String constant() { return " constant2"; }
    static void fail(Runnable r) {


        r.run();
        throw new IllegalStateException("new");
    }
    static RuntimeException make() {
        int unused = 1;
        return new RuntimeException("made");
    }
    synchronized int locked(Runnable r) { r.run(); return 2; }
}

public class RedefineFrames extends Redefiner {
    static void show() {
        frames(Thread.currentThread(), FrA.class);
    }

    static void trace(Throwable e) {
        for (StackTraceElement at : e.getStackTrace())
            if (at.getClassName().startsWith("Fr"))
                System.out.println("  " + at);
    }

    static void walk() {
        StackWalker.getInstance().forEach(f -> {
            if (f.getClassName().startsWith("Fr"))
                System.out.println("  walk " + f.toStackTraceElement() + " " + f.getByteCodeIndex());
        });
    }

    static void inside(String to) {
        System.out.println("before " + to);
        show();
        trace(new Throwable());
        RuntimeException early = new RuntimeException();
        System.out.println("-> " + become(FrA.class, to));
        show();
        trace(new Throwable());
        System.out.println(" made before:");
        trace(early);
        walk();
    }

    public static void main(String[] args) throws Exception {
        RuntimeException made = FrA.make();
        RuntimeException made2 = FrA.make();
        trace(made);
        System.out.println(FrA.same(() -> inside("FrB")));
        trace(made);
        System.out.println("no frame:");
        trace(made2);
        System.out.println(FrA.same(() -> inside("FrA")));
        System.out.println(FrA.text(() -> inside("FrB")));
        System.out.println(FrA.text(() -> inside("FrA")));
        System.out.println(FrA.text(() -> FrA.text(() -> { inside("FrB"); inside("FrA"); show(); })));
        System.out.println(FrA.same(() -> FrA.text(() -> { inside("FrB"); FrA.same(() -> inside("FrA")); show(); })));
        try {
            FrA.fail(() -> inside("FrB"));
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
            trace(e);
        }
        try {
            FrA.fail(() -> inside("FrA"));
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
            trace(e);
            become(FrA.class, "FrB");
            trace(e);
        }
        System.out.println(new FrA().locked(() -> inside("FrA")));
        CountDownLatch in = new CountDownLatch(1), out = new CountDownLatch(1);
        Thread other = new Thread(() -> System.out.println(FrA.text(() -> {
            in.countDown();
            try {
                out.await();
            } catch (InterruptedException e) {
            }
        })), "other");
        other.start();
        in.await();
        System.out.println(become(FrA.class, "FrB"));
        frames(other, FrA.class);
        for (StackTraceElement at : other.getStackTrace())
            if (at.getClassName().startsWith("Fr"))
                System.out.println("  " + at);
        out.countDown();
        other.join();
    }
}
