// SPDX-License-Identifier: Apache-2.0
// What random programs share (docs/PROVING.md, "Random programs"): it runs each for some turns and prints a line
// with the hash of all that was told so far; what is told are results, caught exceptions and the state at the end of a turn.
//   java -Dfuzz.turns=8 [-Dfuzz.step=1] Fuzz P1 P2 ...
// With fuzz.step=n each n-th thing that was told is a line, too: where (a number in the source) and its value. How many turns
// there are changes no line of those that are shown.
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;

public final class Fuzz {
    interface Program {
        void turn(int n);
    }

    static final class Cell {
        volatile int value;
        final int[] values = {1, 2, 3, 5};
        Cell(int value) { this.value = value; }
    }

    static class Mixed { // small enough that an object of it need not be made where nobody sees it
        int i;
        long j;
        float f;
        double d;
        byte b;
        char c;
        boolean z;
        Object o;
        Mixed(int x) { i = x; j = 5L * x; }
        int sum() { return i + (int) j + b * c + (z ? 1 : 0); }
        Mixed add(Mixed other) { i += other.i; j ^= other.j; z |= other.z; return this; }
        boolean is(Object other) { return this == other; }
    }
    static final class MixedBelow extends Mixed {
        short s;
        MixedBelow(int x) { super(x + 1); s = (short) x; }
        @Override int sum() { return super.sum() * s; }
    }

    static Object kept;
    static void keep(Object o) {
        kept = o;
    }
    // What was kept last, by all that it holds.
    static int seen() {
        if (!(kept instanceof Mixed))
            return kept == null ? 0 : 1;
        Mixed m = (Mixed) kept;
        int bits = Float.floatToIntBits(m.f) * 7 + Long.hashCode(Double.doubleToLongBits(m.d)) * 11;
        return m.i + Long.hashCode(m.j) * 3 + m.b * 5 + m.c * 13 + (m.z ? 17 : 0) + bits + (m.o == m ? 19 : m.o == null ? 23 : 29)
            + (m instanceof MixedBelow ? ((MixedBelow) m).s : 0);
    }
    static final MethodHandle MIXED; // of an int and a long: another method for even ones, a division that may throw
    static final VarHandle CELL;
    static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(int[].class);

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodType type = MethodType.methodType(long.class, int.class, long.class);
            MIXED = MethodHandles.guardWithTest(lookup.findStatic(Fuzz.class, "isEven", MethodType.methodType(boolean.class, int.class)),
                lookup.findStatic(Fuzz.class, "divided", type), MethodHandles.filterArguments(lookup.findStatic(Fuzz.class, "divided", type), 0,
                    lookup.findStatic(Fuzz.class, "mix", MethodType.methodType(int.class, int.class))));
            CELL = lookup.findVarHandle(Cell.class, "value", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static boolean isEven(int x) {
        return (x & 1) == 0;
    }
    static long divided(int x, long y) {
        return x * 31L / (y & 63) + y;
    }

    static final int[] INTS = {0, 1, -1, 2, -2, 3, 7, 8, 15, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 32767, 32768, 65535, 65536,
        -128, -129, -32768, -32769, 1 << 30, Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE + 1, 0x55555555};
    static final long[] LONGS = {0, 1, -1, 2, 31, 32, 63, 64, -64, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 31, 1L << 32, 0xFFFFFFFFL,
        1L << 53, (1L << 53) + 1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1, 0x5555555555555555L};
    static final double[] DOUBLES = {0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.25, 1e10, -1e10, 2147483647.0, 2147483648.0, -2147483649.0,
        9.223372036854775807e18, -1e19, 1e300, 1e-300, Double.MIN_VALUE, Double.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};

    static final int step = Integer.getInteger("fuzz.step", 0);
    static final PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
    static long hash;
    static int told;

    static int mix(int n) {
        int h = n * 0x9E3779B9;
        h ^= h >>> 15;
        h *= 0x85EBCA6B;
        return h ^ h >>> 13;
    }

    // Values for n: an edge in three of four cases.
    static int i(int n) {
        int h = mix(n);
        return (h & 3) == 0 ? h >> (h >>> 4 & 31) : INTS[(h >>> 2) % INTS.length];
    }
    static long j(int n) {
        int h = mix(n);
        return (h & 3) == 0 ? ((long) h << 32 | mix(h)) >> (h >>> 4 & 63) : LONGS[(h >>> 2) % LONGS.length];
    }
    static double d(int n) {
        int h = mix(n);
        return (h & 3) == 0 ? j(n) / 1024.0 : DOUBLES[(h >>> 2) % DOUBLES.length];
    }
    static float f(int n) {
        return (float) d(n);
    }

    static void tell(int where, String what, long value) {
        hash = (hash ^ value) * 0x100000001B3L + where;
        if (step != 0 && ++told % step == 0) {
            out.println("  " + where + " " + what + " " + Long.toHexString(hash));
        }
    }

    // A value at a place; the value.
    static boolean r(int where, boolean v) { tell(where, step == 0 ? "" : "" + v, v ? 1 : 2); return v; }
    static byte r(int where, byte v) { tell(where, step == 0 ? "" : "" + v, v); return v; }
    static short r(int where, short v) { tell(where, step == 0 ? "" : "" + v, v); return v; }
    static char r(int where, char v) { tell(where, step == 0 ? "" : "" + (int) v, v); return v; }
    static int r(int where, int v) { tell(where, step == 0 ? "" : "" + v, v); return v; }
    static long r(int where, long v) { tell(where, step == 0 ? "" : "" + v, v); return v; }
    static float r(int where, float v) { tell(where, step == 0 ? "" : "" + v, Float.floatToIntBits(v)); return v; }
    static double r(int where, double v) { tell(where, step == 0 ? "" : "" + v, Double.doubleToLongBits(v)); return v; }
    static <T> T r(int where, T v) {
        String s = v == null ? "null" : v instanceof String ? (String) v : v.getClass().getName();
        tell(where, s, s.hashCode());
        return v;
    }

    // An exception: its class, its text and where in the program it was made. Of a failed cast, where code compiled by HotSpot throws
    // it that has never resolved the class, the text says nothing of that class's module.
    static void caught(int where, Throwable t) {
        String text = t.getMessage();
        if (t instanceof ClassCastException && text != null && text.contains(" (")) {
            text = text.substring(0, text.indexOf(" ("));
        }
        StringBuilder s = new StringBuilder(t.getClass().getName()).append(' ').append(text);
        StackTraceElement[] trace = t.getStackTrace();
        for (int i = 0; i < trace.length && i < 4; i++) {
            s.append(' ').append(trace[i].getMethodName()).append(':').append(trace[i].getLineNumber());
        }
        tell(where, s.toString(), s.toString().hashCode());
    }

    static void all(int where, Object array) {
        int length = array == null ? -1 : java.lang.reflect.Array.getLength(array);
        r(where, length);
        for (int i = 0; i < length; i++) {
            Object v = java.lang.reflect.Array.get(array, i);
            if (v instanceof Double) {
                r(where, (double) (Double) v);
            } else if (v instanceof Float) {
                r(where, (float) (Float) v);
            } else if (v instanceof Number) {
                r(where, ((Number) v).longValue());
            } else if (v instanceof Character) {
                r(where, (char) (Character) v);
            } else if (v instanceof Boolean) {
                r(where, (boolean) (Boolean) v);
            } else {
                r(where, v);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int turns = Integer.getInteger("fuzz.turns", 8);
        for (String name : args) {
            out.println("program " + name);
            hash = told = 0;
            kept = null;
            Program program = (Program) Class.forName(name).getDeclaredConstructor().newInstance();
            for (int n = 0; n < turns; n++) {
                try {
                    program.turn(n);
                } catch (Throwable t) {
                    caught(0, t);
                }
                if (n < 16 || n % 64 == 0) {
                    out.println(n + " " + Long.toHexString(hash));
                }
            }
            out.println("end");
        }
    }
}
