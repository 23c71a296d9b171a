// SPDX-License-Identifier: Apache-2.0
// The class library's short natives, each often enough to take its fast way, and with arguments that it cannot take there.
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

public class ShortNatives {
    interface Action {
        Object run() throws Throwable;
    }

    static void show(String name, Action action) {
        Object last = null;
        for (int i = 0; i < 3; i++) {
            try {
                last = action.run();
            } catch (Throwable t) {
                last = t;
            }
        }
        System.out.println(name + ": " + last);
    }

    static Object copy(Object from, int at, Object to, int into, int length) {
        System.arraycopy(from, at, to, into, length);
        return to instanceof int[] a ? Arrays.toString(a) : to instanceof Object[] o ? Arrays.toString(o) : to;
    }

    static void arrays() {
        show("overlapping", () -> copyWithin(new int[] {1, 2, 3, 4, 5}, 0, 2, 3));
        show("overlapping down", () -> copyWithin(new int[] {1, 2, 3, 4, 5}, 2, 0, 3));
        show("references", () -> copy(new String[] {"a", "b"}, 0, new String[3], 1, 2));
        show("wider", () -> copy(new String[] {"a", "b"}, 0, new Object[2], 0, 2));
        show("narrower", () -> copy(new Object[] {"a", 1}, 0, new String[2], 0, 2));
        show("unrelated", () -> copy(new Integer[] {1, 2}, 0, new String[2], 0, 2));
        show("unrelated dimensions", () -> copy(new int[1][1], 0, new long[1][1], 0, 1));
        show("nothing", () -> copy(new int[0], 0, new int[0], 0, 0));
        show("null from", () -> copy(null, 0, new int[1], 0, 0));
        show("null to", () -> copy(new int[1], 0, null, 0, 0));
        show("other kind", () -> copy(new long[1], 0, new int[1], 0, 1));
        show("no array", () -> copy("x", 0, "y", 0, 0));
        show("negative", () -> copy(new int[1], -1, new int[1], 0, 1));
        show("negative into", () -> copy(new int[1], 0, new int[1], -1, 1));
        show("negative length", () -> copy(new int[1], 0, new int[1], 0, -1));
        show("too far", () -> copy(new int[3], 2, new int[3], 0, 2));
        show("too far into", () -> copy(new int[3], 0, new int[3], 2, 2));
        show("overflow", () -> copy(new int[3], Integer.MAX_VALUE, new int[3], 0, Integer.MAX_VALUE));
    }

    static Object copyWithin(int[] a, int at, int into, int length) {
        return copy(a, at, a, into, length);
    }

    static void classes() throws Throwable {
        Class<?>[] all = {Object.class, int.class, void.class, int[].class, String[].class, Runnable.class, Override.class, String.class};
        for (Class<?> c : all) {
            System.out.println(c + " " + c.isArray() + c.isPrimitive() + c.isInterface() + c.isInstance(null) + c.isInstance("x")
                + c.isInstance(new int[0]) + c.isInstance(new String[0]) + c.isInstance((Runnable) () -> { }));
        }
        System.out.println("x".getClass() + " " + new int[0][0].getClass() + " " + Thread.currentThread().getClass());
        Object none = null;
        show("null.getClass", () -> none.getClass());
        show("null.hashCode", () -> none.hashCode());
        show("identity of null", () -> System.identityHashCode(null));
        Object o = new Object();
        System.out.println(o.hashCode() == System.identityHashCode(o));
        MethodHandle get = MethodHandles.lookup().findVirtual(Object.class, "getClass", MethodType.methodType(Class.class));
        System.out.println((Class<?>) get.invokeExact((Object) "handle"));
        show("null by handle", () -> get.invoke((Object) null));
        System.out.println(Object.class.getMethod("getClass").invoke("reflection"));
    }

    static void numbers() {
        double[] values = {0.0, -0.0, 1, -1, 2, 0.5, 1e300, 1e-310, Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
        long sum = 0;
        for (double v : values) {
            double[] results = {StrictMath.sqrt(v), StrictMath.sin(v), StrictMath.cos(v), StrictMath.tan(v), StrictMath.asin(v),
                StrictMath.acos(v), StrictMath.atan(v), StrictMath.log(v), StrictMath.log10(v), StrictMath.sinh(v), StrictMath.cosh(v),
                StrictMath.tanh(v), StrictMath.expm1(v), StrictMath.log1p(v), Math.sqrt(v)};
            for (double r : results) {
                sum = sum * 31 + Double.doubleToLongBits(r);
            }
            System.out.println(v + " " + results[0] + " " + Double.doubleToRawLongBits(v) + " " + Double.longBitsToDouble(Double.doubleToRawLongBits(v)));
        }
        for (float f : new float[] {0f, -0f, 1.5f, Float.NaN, Float.MIN_VALUE, Float.NEGATIVE_INFINITY}) {
            System.out.println(f + " " + Float.floatToRawIntBits(f) + " " + Float.intBitsToFloat(Float.floatToRawIntBits(f)));
        }
        System.out.println(sum);
        long nanos = System.nanoTime(), millis = System.currentTimeMillis();
        System.out.println(System.nanoTime() >= nanos && System.currentTimeMillis() >= millis);
    }

    static void atomics() {
        AtomicInteger i = new AtomicInteger();
        AtomicLong l = new AtomicLong(1L << 40);
        AtomicReference<String> r = new AtomicReference<>("old");
        AtomicIntegerArray a = new AtomicIntegerArray(4);
        for (int k = 0; k < 1000; k++) {
            i.incrementAndGet();
            l.addAndGet(k);
            a.addAndGet(k % 4, k);
        }
        System.out.println(i + " " + l + " " + a + " " + r.compareAndSet("older", "new") + r.compareAndSet("old", "new") + r);
        Thread[] threads = new Thread[4];
        for (int k = 0; k < threads.length; k++) {
            threads[k] = new Thread(() -> {
                for (int n = 0; n < 5000; n++) {
                    i.incrementAndGet();
                    r.updateAndGet(s -> s.length() > 20 ? "" : s + "x");
                }
            });
            threads[k].start();
        }
        for (Thread t : threads) {
            try {
                t.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        System.out.println(i + " " + (r.get().length() <= 21));
    }

    public static void main(String[] args) throws Throwable {
        arrays();
        classes();
        numbers();
        atomics();
    }
}
