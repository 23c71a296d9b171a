// SPDX-License-Identifier: Apache-2.0
// Native methods that compiled code calls: arguments of each kind in registers and on the stack, null and other references while a
// collection moves them, each kind of result, local references and frames that are left behind, references of callers that are deleted,
// exceptions, Thread.stop, functions that are registered anew. What it prints is as on HotSpot.
// @native jnicompiled
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:CompileThresholdScaling=0.05 -Xmx32m
// @modes asan stress
// @timeout 60
public class JniCompiled {
    static final int TURNS = 2000;

    static native long numbers(boolean z, byte b, char c, short s, int i, long j, float f, double d, byte b2, boolean z2, char c2, short s2,
        double d1, double d2, double d3, double d4, double d5, double d6, float f7, float f8, long j2);

    native long numbersOf(long j, byte b, char c, short s, int i, boolean z, float f, short s2);

    static native Object pick(int which, Object a, Object b, Object c, Object d, Object e, double x, Object f);

    native Object pickOf(int which, Object a, Object b, Object c, Object d, Object e);

    static native boolean isOdd(int i);

    static native byte toByte(int i);

    static native char toChar(int i);

    static native short toShort(int i);

    static native float half(float f);

    static native double halfOf(double d);

    static native int leaveReferences(Object o, int count);

    static native int leaveFrame(Object o);

    static native void keep(Object o); // and calls between, which deletes what is kept

    static native void deleteKept();

    static native void thrower(String text);

    static native Object collect(Object o);

    static native void waitForStop();

    static native int which();

    static native void register(boolean other);

    static void between() {
        deleteKept();
    }

    static long allNumbers(int i) {
        long sum = 0;
        sum += numbers(i % 2 == 0, (byte) i, (char) (i * 77), (short) (i * 99), i, (long) i << 40, i / 2f, i / 4d, (byte) -i, i % 3 == 0, (char) -i,
            (short) -i, i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, -i);
        sum += new JniCompiled().numbersOf(-i, (byte) (i + 1), (char) (i - 1), (short) (i << 5), -i, i % 5 == 0, i, (short) (i * 3));
        return sum;
    }

    static long results(int i) {
        long sum = isOdd(i) ? 1 : 0;
        sum = sum * 3 + toByte(i * 7);
        sum = sum * 3 + toChar(i * 1001);
        sum = sum * 3 + toShort(i * 1003);
        sum = sum * 3 + Float.floatToIntBits(half(i));
        return sum * 3 + Double.doubleToLongBits(halfOf(i));
    }

    static final Object[] objects = {"a", new Object(), new int[3], "d", null, "f"};

    static int references(int i) {
        Object[] o = objects;
        int right = 0;
        int n = i % 6;
        right += pick(n, o[0], o[1], o[2], o[3], o[4], i, o[5]) == o[n] ? 1 : 0;
        right += new JniCompiled().pickOf(n % 5, o[0], o[1], o[2], o[3], o[4]) == o[n % 5] ? 1 : 0;
        return right;
    }

    static int leavers(int i) {
        keep("kept" + i);
        return leaveReferences("left", 300) + leaveFrame(objects);
    }

    static int caught(int i) {
        try {
            thrower("number " + i);
            return -1000;
        } catch (IllegalStateException e) {
            return e.getMessage().length();
        }
    }

    static int collected(int i) {
        int[] o = {i};
        return ((int[]) collect(o))[0] == i && collect(null) == null ? o[0] : -1000;
    }

    static void untilStopped() {
        try {
            while (true) {
                waitForStop();
            }
        } catch (ThreadDeath e) {
            System.out.println("stopped in " + e.getStackTrace().length + " frames or less: " + (e.getStackTrace().length < 9));
        }
    }

    @SuppressWarnings("deprecation")
    static void stop() throws InterruptedException {
        Thread t = new Thread(JniCompiled::untilStopped);
        t.start();
        Thread.sleep(200);
        t.stop();
        t.join();
    }

    static int anew(int i) {
        return which();
    }

    interface Turn {
        long take(int i);
    }

    static void show(String what, int turns, Turn turn) {
        long sum = 0;
        for (int i = 0; i < turns; i++) {
            sum = sum * 31 + turn.take(i);
        }
        System.out.println(what + " " + sum);
    }

    public static void main(String[] args) throws InterruptedException {
        System.loadLibrary("jnicompiled");
        show("numbers", TURNS, JniCompiled::allNumbers);
        show("results", TURNS, JniCompiled::results);
        show("references", TURNS, JniCompiled::references);
        show("leavers", TURNS, JniCompiled::leavers);
        show("caught", TURNS, JniCompiled::caught);
        show("collected", 100, JniCompiled::collected);
        for (int round = 0; round < 4; round++) {
            register(round % 2 == 1);
            show("anew", TURNS, JniCompiled::anew);
        }
        stop();
    }
}
