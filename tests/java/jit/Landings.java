// SPDX-License-Identifier: Apache-2.0
// Exceptions that come out of inlined methods into handlers of the methods that they are inlined in, and into handlers of inlined methods:
// nested ones, with values of all kinds, in loops that a handler goes back to, out of locks, those of instructions, with exact traces.
// What is printed is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:+JitInlineAll -XX:-OmitStackTraceInFastThrow -XX:CompileThresholdScaling=0.05 -Xmx24m
// @modes asan stress
// @javac -XDstringConcat=inline
// @timeout 180
public class Landings {
    static class Own extends RuntimeException {
        final int number;
        Own(int number, Throwable cause) {
            super("own " + number, cause);
            this.number = number;
        }
    }
    static class Other extends RuntimeException {}
    static class Box {
        int value;
        Box next;
        Box(int value, Box next) {
            this.value = value;
            this.next = next;
        }
        int get() { return value; }
        Box next() { return next; }
    }

    static int finished;
    static Object lock = new Object();
    static final Own[] made = {new Own(0, null), new Own(1, null), new Own(2, null), new Own(3, null)};

    static int passOn(int n) { // too far down to be inlined everywhere
        if (n % 5 == 3)
            throw made[n & 3];
        if (n % 7 == 2)
            throw new Other();
        return n;
    }

    // ---- out of inlined methods ----
    static int i3(int n) { return passOn(n) + 3; }
    static int i2(int n, long l) { return i3(n) + (int) l; }
    static int i1(int n, double d) { return i2(n + 1, n * 3L) + (int) d; }

    static String out(int n, long l, float f, double d, Object o) {
        int way = 1;
        long more = l * 3;
        try {
            way = 2;
            way += i1(n, d);
            more ^= way;
            way += i2(n + 2, l);
        } catch (Own e) {
            way = -way - e.number;
        }
        return way + " " + more + " " + l + " " + f + " " + d + " " + o;
    }

    // ---- into handlers of inlined methods ----
    static int caughtInside(int n) {
        try {
            return i3(n);
        } catch (Own e) {
            return e.number;
        }
    }
    static int translated(int n) {
        try {
            return i3(n) + caughtInside(n + 1);
        } catch (Other e) {
            throw new Own(n, e);
        } finally {
            finished++;
        }
    }
    static int nested(int n) {
        int way = 0;
        try {
            way = translated(n);
            try {
                way += translated(n + 1) * 3 + caughtInside(n + 2);
            } catch (Own e) {
                way += e.getCause() == null ? 100 : 200;
                way += i2(n + 3, way);
            }
        } catch (Own e) {
            way += e.number * 1000 + (e.getCause() == null ? 0 : 7);
        } catch (RuntimeException e) {
            way += 5000;
        }
        return way;
    }

    // ---- loops ----
    static int retry(int n) {
        int turns = 0;
        for (int k = n;; k++) {
            try {
                return i1(k, turns) * 10 + turns;
            } catch (Own e) {
                turns += e.number;
            } catch (Other e) {
                turns++;
                continue;
            }
            turns++;
        }
    }
    static long loop(int turns) {
        long sum = 0;
        int failed = 0;
        for (int i = 0; i < turns; i++)
            try {
                sum = sum * 3 + retry(i) + i1(i, sum % 5);
            } catch (RuntimeException e) {
                failed += i;
            }
        return sum * 31 + failed;
    }

    // ---- locks ----
    static int lockedInside(int n) {
        synchronized (lock) {
            return i3(n);
        }
    }
    static int locked(int n) {
        int way;
        try {
            synchronized (made) {
                way = lockedInside(n) + i2(n + 1, 1);
            }
        } catch (Own e) {
            way = e.number;
        }
        return Thread.holdsLock(lock) || Thread.holdsLock(made) ? -1 : way;
    }
    static synchronized int lockedMethod(int n) { return i3(n); }
    static int callsLocked(int n) {
        try {
            return lockedMethod(n);
        } catch (Own | Other e) {
            return Thread.holdsLock(Landings.class) ? -100 : 5;
        }
    }

    // ---- what instructions throw ----
    static int element(int[] a, int i) { return a[i]; }
    static int divide(int a, int b) { return a / b; }
    static long rest(long a, long b) { return a % b; }
    static int length(Object o) { return ((String) o).length(); }
    static int second(Box b) { return b.next().get(); }
    static int[] sized(int n) { return new int[n]; }
    static void store(Object[] into, Object o) { into[0] = o; }

    static int implied(int n, int[] a, Object o, Object[] into) {
        int way = n;
        try {
            way += element(a, n % 6 - 1);
            way += divide(100, n % 4);
            way += (int) rest(n, n % 7);
            way += length(o);
            way += second(new Box(n, n % 5 == 4 ? null : new Box(2, null)));
            way += sized(n % 11 - 1).length;
            store(into, o);
        } catch (ArithmeticException e) {
            way += 1000 + e.getMessage().length();
        } catch (NullPointerException | ClassCastException e) {
            way += 2000 + (e instanceof ClassCastException ? 1 : 0);
        } catch (ArrayIndexOutOfBoundsException e) {
            way += 3000 + e.getMessage().hashCode();
        } catch (NegativeArraySizeException | ArrayStoreException e) {
            way += e.getMessage().hashCode();
        }
        return way;
    }
    static long inLock(int[] a, int turns) {
        long sum = 0;
        for (int i = 0; i < turns; i++)
            try {
                synchronized (a) {
                    sum += a[i % 9] / (i % 6);
                }
            } catch (ArithmeticException e) {
                sum += 3;
            } catch (RuntimeException e) {
                sum = sum * 3 + i + (Thread.holdsLock(a) ? 1 : 0);
            }
        return sum;
    }

    // ---- traces ----
    static String trace(Throwable e) {
        StringBuilder text = new StringBuilder(e.toString());
        for (StackTraceElement f : e.getStackTrace())
            if (!f.getMethodName().equals("main"))
                text.append(' ').append(f.getMethodName()).append(f.getLineNumber());
        return text.toString();
    }
    static String traced(int n, int[] a) {
        try {
            return "" + translated(n) + element(a, n) + divide(n, n - 4)
                + length(n == 5 ? (Object) a : n == 6 ? null : "text") + second(new Box(n, n == 7 ? null : new Box(1, null)));
        } catch (RuntimeException e) {
            return trace(e) + (e.getCause() == null ? "" : " by " + trace(e.getCause()));
        }
    }

    static int catches(boolean locks, int n) {
        try {
            return locks ? locked(n) : nested(n);
        } catch (RuntimeException e) {
            return e instanceof Own ? -((Own) e).number : -50;
        }
    }

    public static void main(String[] args) {
        Object[] objects = {"text", null, 5, "other"};
        Object[][] stores = {new Object[1], new Integer[1], new String[1]};
        int[] numbers = {1, 2, 3, 4, 5};
        long hash = 0;
        String last = "";
        for (int turn = 0; turn < 600; turn++) {
            for (int n = 1; n < 9; n++) {
                try {
                    last = out(n, turn, 0.5f, n / 2.0, n == 3 ? lock.getClass() : null);
                } catch (Other e) {
                    last = "other";
                }
                hash = hash * 31 + last.hashCode();
                hash = hash * 31 + catches(false, n) + 3L * catches(true, n) + 7L * callsLocked(n);
                hash = hash * 31 + implied(turn + n, numbers, objects[(turn + n) & 3], stores[turn % 3]);
                hash = hash * 31 + traced(n, numbers).hashCode();
            }
            hash = hash * 31 + loop(turn & 31) + inLock(numbers, turn & 63);
        }
        System.out.println(hash + " " + finished);
        for (int n = 0; n < 9; n++)
            System.out.println(traced(n, numbers));
        System.out.println(loop(100) + " " + nested(3) + " " + nested(8) + " " + inLock(numbers, 5000));
    }
}
