// SPDX-License-Identifier: Apache-2.0
// What initializes a class and what does not, in which order, and from several threads at once.
// @quick
// @modes moving
import java.util.concurrent.atomic.AtomicInteger;

public class StaticInit {
    static void log(String s) {
        System.out.println(s);
    }
    static int say(String s, int v) {
        log("init " + s);
        return v;
    }
    static class Par {
        static int a = say("Par", 1);
        static int st = 5;
        static final int CONST = 77;
        static final Integer BOXED = say("Par.BOXED", 2);
        static void sm() {
            log("Par.sm");
        }
    }
    static class Chi extends Par {
        static int b = say("Chi", 3);
    }
    interface I {
        int X = say("I", 1);
        int K = 9;
    }
    interface Dflt {
        int X = say("Dflt", 1);
        default void d() {}
    }
    static class Impl implements I, Dflt {
        static int c = say("Impl", 4);
    }
    interface SubI extends Dflt {
        int Y = say("SubI", 2);
    }
    static class Refl {
        static int r = say("Refl", 1);
    }
    static class Arr {
        static int r = say("Arr", 1);
    }
    static class NewMe {
        static {
            log("NewMe clinit");
        }
        int v = say("NewMe instance", 1);
    }
    static class CycA {
        static int a = CycB.b + 1;
    }
    static class CycB {
        static int b = CycA.a + 10;
    }
    static class Self {
        static final Self ONE = new Self();
        static int count = 5;
        static final int k = Integer.parseInt("8");
        Self() {
            count++;
            log("Self count " + count + " k " + k);
        }
    }
    static class Slow {
        static final AtomicInteger inits = new AtomicInteger();
        static volatile int v;
        static {
            inits.incrementAndGet();
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new Error(e);
            }
            v = 42;
        }
        static int get() {
            return v;
        }
    }
    static class SlowFail {
        static final AtomicInteger tries = new AtomicInteger();
        static {
            StaticInit.fails.incrementAndGet();
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new Error(e);
            }
            if (true) {
                throw new IllegalStateException("slow fail");
            }
        }
        static void get() {}
    }
    static final AtomicInteger fails = new AtomicInteger();

    public static void main(String[] args) throws Exception {
        log("const " + Par.CONST + " " + I.K);
        log("literal " + Refl.class.getName() + Arr.class.getSimpleName());
        log("child sees parent static " + Chi.st);
        Chi.sm();
        log("" + Chi.b);
        Arr[] arr = new Arr[2];
        log("array " + arr.length + (arr instanceof Object[]) + (arr[0] instanceof Arr));
        new Impl();
        log("I.X now " + I.X);
        log("" + SubI.Y);
        Class<?> c = Class.forName("StaticInit$Refl", false, StaticInit.class.getClassLoader());
        log("loaded");
        Class.forName(c.getName());
        new NewMe();
        log(CycA.a + " " + CycB.b);
        log("" + Self.count);
        Thread[] ts = new Thread[8];
        int[] got = new int[8];
        for (int i = 0; i < ts.length; i++) {
            int k = i;
            ts[i] = new Thread(() -> got[k] = Slow.get());
            ts[i].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        log(java.util.Arrays.toString(got) + Slow.inits);
        AtomicInteger eiie = new AtomicInteger();
        AtomicInteger ncdfe = new AtomicInteger();
        for (int i = 0; i < ts.length; i++) {
            ts[i] = new Thread(() -> {
                try {
                    SlowFail.get();
                } catch (ExceptionInInitializerError e) {
                    eiie.incrementAndGet();
                } catch (NoClassDefFoundError e) {
                    ncdfe.incrementAndGet();
                }
            });
            ts[i].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        log(fails + " " + eiie + " " + ncdfe);
    }
}
