// SPDX-License-Identifier: Apache-2.0
// What Unsafe answers about classes that it can't be asked about.
// @quick
import java.lang.reflect.Field;
import java.util.concurrent.Callable;
import sun.misc.Unsafe;

public class UnsafeCorners {
    abstract static class Abstract {
        static {
            System.out.println("initialized");
        }
    }
    static class Failing {
        static {
            Integer.parseInt("x");
        }
    }
    enum Letter {A}
    @interface Mark {}
    record Point(int x) {}
    static int counter;
    int plain;

    static void attempt(String what, Callable<Object> body) {
        try {
            Object o = body.call();
            System.out.println(what + ": " + (o instanceof Integer ? o : o.getClass().getName()));
        } catch (Throwable t) {
            System.out.println(what + ": " + t + ", cause " + t.getCause());
        }
    }

    public static void main(String[] args) throws Exception {
        Field f = Unsafe.class.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        Unsafe unsafe = (Unsafe) f.get(null);
        for (Class<?> c : new Class<?>[] {Class.class, Abstract.class, Runnable.class, int[].class, String[].class, int.class, void.class, Letter.class,
                 Mark.class, Failing.class, Failing.class, Thread.class, String.class, Point.class})
            attempt("allocate " + c, () -> unsafe.allocateInstance(c));
        for (Class<?> c : new Class<?>[] {String.class, int.class, void.class, Runnable.class, Class.class, int[].class, long[][].class, boolean[].class}) {
            attempt("base " + c, () -> unsafe.arrayBaseOffset(c));
            attempt("scale " + c, () -> unsafe.arrayIndexScale(c));
        }
        attempt("static field", () -> unsafe.objectFieldOffset(UnsafeCorners.class.getDeclaredField("counter")));
        attempt("instance field", () -> unsafe.staticFieldOffset(UnsafeCorners.class.getDeclaredField("plain")));
        attempt("instance field's base", () -> unsafe.staticFieldBase(UnsafeCorners.class.getDeclaredField("plain")));
        attempt("no field", () -> unsafe.objectFieldOffset(null));
        attempt("component", () -> unsafe.objectFieldOffset(Point.class.getDeclaredField("x")));
        attempt("initialize int", () -> {
            unsafe.ensureClassInitialized(int.class);
            return 0;
        });
        attempt("initialize nothing", () -> {
            unsafe.ensureClassInitialized(null);
            return 0;
        });
    }
}
