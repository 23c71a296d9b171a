// SPDX-License-Identifier: Apache-2.0
// Method entry and exit with results of every kind, exceptions thrown, passed on and caught, in Java and native code.
// @agent ti_trace
// @mask (?<=\.)0x[0-9a-f]+
// @quick
import java.util.concurrent.Callable;

public class Trace {
    static native void on(boolean value);

    static native void only(Thread thread, boolean wanted);

    static native int twice(int i);

    static native void raise();

    static native int callBack(int i);

    static native int callBackAndThrow(int i); // what was thrown, again

    static int back(int i) {
        if (i < 0)
            throw new IllegalArgumentException("negative");
        return i + 1;
    }

    static long aLong(int i) { return i * 10L; }

    static double aDouble() { return 1.5; }

    static float aFloat() { return 2.5f; }

    static boolean aBoolean() { return true; }

    static byte aByte() { return -3; }

    static short aShort() { return 300; }

    static char aChar() { return 'x'; }

    static String aString() { return "s"; }

    static Object nothing() { return null; }

    static int[] anArray() { return new int[3]; }

    static synchronized int locked(int n) { return n == 0 ? 0 : locked(n - 1) + 1; }

    static int divide(int a, int b) { return a / b; }

    static int thrower(int depth) {
        if (depth == 0)
            throw new IllegalStateException("deep");
        return thrower(depth - 1);
    }

    static int catcher(int depth) {
        try {
            return thrower(depth);
        } catch (IllegalStateException e) {
            return -1;
        } finally {
            aChar();
        }
    }

    static synchronized void lockedThrow() {
        Object o = null;
        o.hashCode();
    }

    static int nested() {
        try {
            try {
                return divide(1, 0);
            } catch (NullPointerException e) {
                return 1;
            }
        } catch (ArithmeticException e) {
            return new int[] {5}[0];
        }
    }

    int virtual(int i) { return i; }

    static class Sub extends Trace {
        @Override
        int virtual(int i) { return super.virtual(i) + 100; }
    }

    static void everything() throws Exception {
        aLong(3);
        aDouble();
        aFloat();
        aBoolean();
        aByte();
        aShort();
        aChar();
        aString();
        nothing();
        anArray();
        locked(2);
        twice(21);
        callBack(5);
        callBack(-5);
        catcher(2);
        nested();
        new Sub().virtual(1);
        try {
            lockedThrow();
        } catch (NullPointerException e) {
            aByte();
        }
        try {
            raise();
        } catch (IllegalStateException e) {
            aByte();
        }
        try {
            Object o = "text";
            Integer i = (Integer) o;
            twice(i);
        } catch (ClassCastException e) {
            aByte();
        }
        try {
            int[] a = new int[2];
            a[2] = 1;
        } catch (ArrayIndexOutOfBoundsException e) {
            aByte();
        }
    }

    // Native methods stand between: the clause that would catch is told, whether they let the exception through or not.
    static void caughtBeyondNatives() {
        try {
            callBack(-6);
        } catch (IllegalArgumentException e) {
            aByte();
        }
        try {
            Trace.class.getDeclaredMethod("thrower", int.class).invoke(null, 1);
        } catch (ReflectiveOperationException e) {
            aShort();
        } catch (IllegalStateException e) {
            aByte(); // reflection throws another
        }
    }

    static class Failing {
        static int value;
        static {
            if (value == 0)
                throw new StackOverflowError("an error as it is");
        }
    }

    static class BelowFailing extends Failing {
        static int below = aShort();
    }

    static class FailsToo {
        static int value;
        static {
            if (value == 0)
                throw new AssertionError("not wrapped");
        }
    }

    static class UsesFailing {
        static int value = FailsToo.value;
    }

    // The same object again, from another place: by the VM after an initialization, by a native method.
    static void thrownAgain() {
        try {
            twice(BelowFailing.below);
        } catch (StackOverflowError e) {
            aByte();
        }
        try {
            twice(UsesFailing.value);
        } catch (AssertionError e) {
            aByte();
        }
        try {
            callBackAndThrow(-7);
        } catch (IllegalArgumentException e) {
            aByte();
        }
        try {
            try {
                thrower(0);
            } catch (IllegalStateException e) {
                throw e;
            }
        } catch (IllegalStateException e) {
            aByte();
        }
    }

    static void inThreads() throws Exception {
        Thread current = Thread.currentThread();
        only(current, true);
        on(true);
        aByte();
        Thread t = new Thread(() -> aLong(1));
        t.start();
        t.join();
        only(current, false);
        aShort();
        Object door = new Object();
        Thread watched = new Thread(() -> {
            synchronized (door) {
                aFloat();
            }
        });
        synchronized (door) {
            watched.start();
            while (watched.getState() != Thread.State.BLOCKED)
                Thread.onSpinWait();
            only(watched, true);
            aDouble();
        }
        watched.join();
        aDouble();
        on(false);
    }

    public static void main(String[] args) throws Exception {
        everything();
        caughtBeyondNatives();
        on(true);
        everything();
        caughtBeyondNatives();
        thrownAgain();
        on(false);
        inThreads();
        Callable<Integer> c = () -> 1;
        System.out.println("end " + c.call());
    }
}
