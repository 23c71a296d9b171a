// SPDX-License-Identifier: Apache-2.0
// Exceptions that compiled code throws and catches: in the method itself and through frames, by several handlers, out of and within
// locks, with values of all kinds that live over the handler; catch types that are first resolved, or cannot be, while a handler is
// searched. What is printed is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05 -Xmx16m
// @modes asan stress
// @timeout 180
import java.io.InputStream;
import java.util.function.IntUnaryOperator;

public class Exceptions {
    static class Own extends RuntimeException {
        final int number;
        Own(int number) { super("own " + number, null, false, false); this.number = number; }
    }
    static class Other extends RuntimeException {
        Other(String text) { super(text); }
    }
    static class LoadedLate extends RuntimeException {}

    static final Own[] made = new Own[16];
    static int finished;

    // ---- in one method ----

    static int within(int turns) {
        int caught = 0;
        for (int i = 0; i < turns; i++) {
            try {
                if ((i & 3) == 1)
                    throw made[i & 15];
                caught += 2;
            } catch (Own e) {
                caught += e.number;
            }
        }
        return caught;
    }

    public static int passOn(int n) {
        if (n % 5 == 0)
            throw made[n & 15];
        return n;
    }

    // Values of all kinds, old and new ones, live where the handler begins.
    static String values(int n, long l, float f, double d, Object o) {
        String text = "";
        long sum = 0;
        int i = 0;
        try {
            for (; i < n; i++) {
                sum += passOn(i + 1) * l;
                f += 0.5f;
                d *= 1.25;
                text = text.length() > 4 ? "" : text + i;
            }
        } catch (Own e) {
            sum ^= e.number;
            o = e;
        }
        return i + " " + sum + " " + l + " " + f + " " + d + " " + text + " " + o;
    }

    static int nested(int n) {
        int way = 0;
        try {
            try {
                way = way * 10 + 1;
                if (n % 3 == 1)
                    throw new Other("other");
                passOn(n);
                way = way * 10 + 2;
            } catch (Other e) {
                way = way * 10 + 3;
                passOn(n);
            } finally {
                finished++;
                way = way * 10 + 4;
            }
        } catch (Own e) {
            way = way * 10 + 5;
        } catch (RuntimeException e) {
            way = way * 10 + 6;
        }
        return way;
    }

    static int line(int n) {
        try {
            if (n == 1)
                throw null;
            RuntimeException e = n == 2 ? new Other("line") : null;
            if (n >= 2)
                throw e;
            return 0;
        } catch (RuntimeException e) {
            StackTraceElement at = e.getStackTrace()[0];
            return at.getLineNumber() * 10 + (e instanceof NullPointerException ? 1 : 2);
        }
    }

    // ---- through frames ----

    static int down(int depth, int n) {
        return depth == 0 ? passOn(n) : down(depth - 1, n) + 1;
    }

    static int through(int turns) {
        int sum = 0;
        for (int i = 1; i <= turns; i++)
            try {
                sum += down(i % 6, i);
            } catch (Own e) {
                sum -= e.number;
            }
        return sum;
    }

    static int finallies(int depth, int n) {
        try {
            return depth == 0 ? passOn(n) : finallies(depth - 1, n);
        } finally {
            finished += depth;
        }
    }

    static int overflow(int[] deepest, int depth) {
        deepest[0] = Math.max(deepest[0], depth);
        try {
            return overflow(deepest, depth + 1) + 1;
        } catch (Own e) {
            return 0;
        }
    }

    static boolean overflows() {
        int[] deepest = new int[1];
        try {
            overflow(deepest, 0);
            return false;
        } catch (StackOverflowError e) {
            return deepest[0] > 100;
        }
    }

    // ---- locks ----

    static int lockedInside(Object lock, int n) {
        int sum = 0;
        synchronized (lock) {
            try {
                sum += passOn(n);
            } catch (Own e) {
                sum = Thread.holdsLock(lock) ? e.number : -100;
            }
            sum++;
        }
        return Thread.holdsLock(lock) ? -1 : sum;
    }

    static int lockedOutside(Object lock, int n) {
        try {
            synchronized (lock) {
                return passOn(n);
            }
        } catch (Own e) {
            return Thread.holdsLock(lock) ? -100 : e.number;
        }
    }

    static synchronized int lockedMethod(int n) { return passOn(n); }

    static int callsLocked(int n) {
        try {
            return lockedMethod(n);
        } catch (Own e) {
            return Thread.holdsLock(Exceptions.class) ? -100 : e.number;
        }
    }

    // ---- catch types ----

    static int late(int n) {
        try {
            return passOn(n);
        } catch (LoadedLate e) {
            return -1;
        } catch (Own e) {
            return e.number;
        }
    }

    // In another loader it may not name that type.
    public static class Foreign implements IntUnaryOperator {
        public int applyAsInt(int n) {
            try {
                return passOn(n);
            } catch (LoadedLate e) {
                return -1;
            }
        }
    }

    static class Loader extends ClassLoader {
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.endsWith("Foreign"))
                return super.loadClass(name, resolve);
            try (InputStream in = Exceptions.class.getResourceAsStream("Exceptions$Foreign.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static String foreign(IntUnaryOperator op, int n) {
        try {
            return "" + op.applyAsInt(n);
        } catch (Own | LinkageError e) {
            return e.getClass().getName();
        }
    }

    // ---- by the machine ----

    static int implied(int n, int[] array, Object o) {
        int way = n;
        try {
            way += array[n % 9];
            way += 100 / (n % 4);
            way += ((String) o).length();
        } catch (ArithmeticException e) {
            way += 1000;
        } catch (NullPointerException | ClassCastException e) {
            way += 2000 + (e instanceof ClassCastException ? 1 : 0);
        } catch (ArrayIndexOutOfBoundsException e) {
            way += 3000;
        }
        return way;
    }

    // ---- all ----

    static int catches(IntUnaryOperator op, int n) {
        try {
            return op.applyAsInt(n);
        } catch (RuntimeException e) {
            return -e.getMessage().length();
        }
    }

    public static void main(String[] args) throws Throwable {
        for (int i = 0; i < made.length; i++)
            made[i] = new Own(i * 7 + 1);
        IntUnaryOperator op = (IntUnaryOperator) new Loader().loadClass("Exceptions$Foreign").getDeclaredConstructor().newInstance();
        Object lock = new Object();
        Object[] objects = {"text", null, 5, "other"};
        long hash = 0;
        for (int turn = 0; turn < 400; turn++) {
            for (int n = 1; n < 8; n++) {
                hash = hash * 31 + nested(n) + lockedInside(lock, n) + 3L * lockedOutside(lock, n) + 7L * callsLocked(n);
                hash = hash * 31 + implied(n, new int[] {1, 2, 3, 4, 5, 6}, objects[(turn + n) & 3]);
                if (n != 5)
                    hash += late(n) + foreign(op, n).length();
                hash = hash * 31 + catches(k -> finallies(k, k), n);
            }
            hash = hash * 31 + within(turn & 63) + through(turn & 31) + line(turn & 1);
            hash = hash * 31 + values(turn & 7, turn, turn, turn, null).hashCode();
        }
        System.out.println(hash + " " + finished);
        System.out.println(values(9, 1L << 40, 1.5f, -2.5, "o") + ", " + values(3, 9, 0, 0.1, null));
        System.out.println(line(0) + " " + line(1) + " " + line(2) + " " + line(3));
        System.out.println(late(5) + " " + foreign(op, 5) + ", " + foreign(op, 4) + ", " + foreign(op, 10));
        System.out.println(overflows() && overflows());
    }
}
