// SPDX-License-Identifier: Apache-2.0
// The extension function SetOneShotBreakpoints: a breakpoint that goes with its first hit, in interpreted and in compiled code, for the threads
// and environments that want it, also where several threads come to it at once, and in a method that is redefined while frames are in it.
// @agent ti_one_shot_breakpoints
// @only pellucid
// @quick
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

public class OneShotBreakpoints {
    static final int SET = 0, ONCE = 1, CLEAR = 2, SET_OF_TABLE = 3;
    static final int NOTHING = 0, CLEARS = 1, SETS_AGAIN = 2;

    static native int[] change(int env, int how, Method m, long... at);

    static native void refused(Method m);

    static native void tell(int env, boolean on, Thread thread);

    static native void inCallback(int what);

    static native int takeHits(int env);

    static native void redefine(Class<?> c, byte[] file);

    static int add(int a, int b) { // iload_0, iload_1, iadd, ireturn
        return a + b;
    }

    static int sum(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s = add(s, i);
        }
        return s;
    }

    static Method method(Class<?> c, String name) {
        for (Method m : c.getDeclaredMethods()) {
            if (m.getName().equals(name)) {
                return m;
            }
        }
        throw new AssertionError(name);
    }

    static final Method ADD = method(OneShotBreakpoints.class, "add");

    static void show(String what, int[] results) {
        System.out.println(what + ": " + Arrays.toString(results));
    }

    static void called(String what) {
        int s = sum(10);
        System.out.println(what + ": " + s + " with hits " + takeHits(0) + " and " + takeHits(1));
    }

    static void alone() {
        refused(ADD);
        show("set", change(0, ONCE, ADD, 0, 1, 0, 4, -1, 99, 3));
        called("nobody is told");
        tell(0, true, null);
        called("once each");
        called("gone");
        show("they are not there", change(0, CLEAR, ADD, 0, 1, 3));
        show("set, cleared", change(0, ONCE, ADD, 0, 1));
        show("set, cleared", change(0, CLEAR, ADD, 1));
        called("the other");
    }

    static void amongOthers() {
        show("stays", change(0, SET, ADD, 0));
        show("is there", change(0, ONCE, ADD, 0));
        called("all the time");
        show("cleared", change(0, CLEAR, ADD, 0));
        show("once", change(0, ONCE, ADD, 0));
        show("stays from now on", change(0, SET_OF_TABLE, ADD, 0));
        show("is there", change(0, SET_OF_TABLE, ADD, 0));
        called("all the time");
        show("cleared", change(0, CLEAR, ADD, 0));
        called("none");
    }

    static void fromTheCallback() {
        inCallback(CLEARS);
        show("once", change(0, ONCE, ADD, 2));
        called("it is gone before");
        inCallback(SETS_AGAIN);
        show("once", change(0, ONCE, ADD, 2));
        System.out.println(add(1, 2) + add(3, 4) + " with hits " + takeHits(0));
        inCallback(NOTHING);
        called("the last");
    }

    static void ofTwo() {
        tell(1, true, null);
        show("stays", change(1, SET, ADD, 0));
        show("once", change(0, ONCE, ADD, 0, 1));
        show("once", change(1, ONCE, ADD, 1));
        called("once, and all the time");
        show("it has its own", change(0, CLEAR, ADD, 0, 1));
        show("it has its own", change(1, CLEAR, ADD, 0, 1));
        called("none");
        tell(1, false, null);
        show("once, but not told", change(1, ONCE, ADD, 0));
        called("none");
        tell(1, true, null);
        called("told");
        tell(1, false, null);
    }

    static void ofOneThread() throws Exception {
        tell(0, false, null);
        Thread other = new Thread(() -> sum(3));
        show("once", change(0, ONCE, ADD, 0));
        CountDownLatch begin = new CountDownLatch(1);
        Thread told = new Thread(() -> {
            try {
                begin.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            sum(3);
        });
        told.start();
        tell(0, true, told);
        other.start();
        other.join();
        called("another thread passes");
        begin.countDown();
        told.join();
        System.out.println("the thread that is told: " + takeHits(0));
        tell(0, true, null);
        called("none");
    }

    static void compiled() {
        for (int i = 0; i < 3000; i++) {
            sum(100);
        }
        show("set in hot code", change(0, ONCE, ADD, 0, 1, 2, 3));
        show("and in its caller", change(0, ONCE, method(OneShotBreakpoints.class, "sum"), 0, 2));
        called("once each");
        for (int i = 0; i < 3000; i++) {
            sum(100);
        }
        called("none");
        show("set where code has a place for it", change(0, ONCE, ADD, 0, 1, 2, 3));
        called("once each");
    }

    static volatile boolean over;
    static volatile int spin;

    // Each that was set is told once or cleared.
    static void threads() throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                while (!over) {
                    spin = sum(50);
                }
            });
            threads[i].start();
        }
        int set = 0, told = 0, rounds = 60;
        for (int i = 0; i < rounds; i++) {
            for (int result : change(0, ONCE, ADD, 0, 1, 2, 3)) {
                set += result == 0 ? 1 : 0;
            }
            Thread.sleep(i % 3);
        }
        over = true;
        for (Thread t : threads) {
            t.join();
        }
        told = takeHits(0);
        for (int result : change(0, CLEAR, ADD, 0, 1, 2, 3)) {
            set -= result == 0 ? 1 : 0;
        }
        System.out.println("many were set: " + (set >= rounds) + ", each told once: " + (set == told ? "yes" : set + ", not " + told));
    }

    static final CountDownLatch entered = new CountDownLatch(1), go = new CountDownLatch(1);

    static class Changed {
        static void waits() throws Exception {
            entered.countDown();
            go.await();
            passes();
        }

        static void passes() {}
    }

    static final long LAST_CALL = 12; // of waits: behind getstatic, invokevirtual, getstatic, invokevirtual

    static byte[] file(Class<?> c) throws Exception {
        try (InputStream in = c.getResourceAsStream(c.getName() + ".class")) {
            return in.readAllBytes();
        }
    }

    static void redefined() throws Exception {
        Method waits = method(Changed.class, "waits");
        byte[] file = file(Changed.class);
        show("once", change(0, ONCE, waits, 0));
        redefine(Changed.class, file);
        Thread inOld = new Thread(() -> {
            try {
                Changed.waits();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        inOld.start();
        entered.await();
        System.out.println("a redefinition clears it: " + takeHits(0));
        redefine(Changed.class, file);
        show("once in both versions", change(0, ONCE, waits, LAST_CALL));
        go.countDown();
        inOld.join();
        System.out.println("in the old one: " + takeHits(0));
        Changed.waits();
        System.out.println("in the new one: " + takeHits(0));
        redefine(Changed.class, file);
        show("once", change(0, ONCE, waits, LAST_CALL));
        Changed.waits();
        System.out.println("in the new one: " + takeHits(0));
    }

    public static void main(String[] args) throws Exception {
        alone();
        amongOthers();
        fromTheCallback();
        ofTwo();
        ofOneThread();
        compiled();
        threads();
        redefined();
    }
}
