// SPDX-License-Identifier: Apache-2.0
// Methods of the class library that compiled code does not call, over their edges: counts of bits, numbers, bits of floats, strings of all
// lengths around the width of vectors, coding, copies between arrays with what is thrown, memory by Unsafe and what is made of it, with an
// object and without. What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05 -Xmx64m
// @modes asan stress
// @timeout 120
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import sun.misc.Unsafe;

public class Intrinsics {
    static final int[] INTS = {0, 1, -1, 2, 3, 7, 8, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x12345678, -77};
    static final long[] LONGS = {0, 1, -1, 31, 32, 33, 0xFFFFFFFFL, 0x100000000L, Long.MAX_VALUE, Long.MIN_VALUE, 0x123456789ABCDEF0L, -12345678901L};
    static final double[] DOUBLES = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 1e300, -1e300, 4503599627370497.5, Double.MIN_VALUE,
        Double.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 3.7, -3.2};
    static final float[] FLOATS = {0f, -0f, 1.5f, -2.25f, Float.MIN_VALUE, Float.MAX_VALUE, Float.NaN, Float.NEGATIVE_INFINITY};

    static long mix(long sum, long x) {
        return sum * 1000003 + x;
    }

    static long bits(int turn) {
        long sum = 0;
        for (int x : INTS) {
            x += turn % 3;
            sum = mix(sum, Integer.bitCount(x) | Integer.numberOfLeadingZeros(x) << 8 | Integer.numberOfTrailingZeros(x) << 16);
            sum = mix(sum, Integer.reverseBytes(x));
            sum = mix(sum, Integer.highestOneBit(x) ^ Integer.compareUnsigned(x, turn));
            sum = mix(sum, Integer.divideUnsigned(x, turn | 1) ^ Integer.remainderUnsigned(x, turn | 1));
        }
        for (long x : LONGS) {
            x += turn % 3;
            sum = mix(sum, Long.bitCount(x) | Long.numberOfLeadingZeros(x) << 8 | Long.numberOfTrailingZeros(x) << 16);
            sum = mix(sum, Long.reverseBytes(x));
            for (long y : LONGS) {
                sum = mix(sum, Math.multiplyHigh(x, y));
            }
        }
        return sum;
    }

    static long numbers(int turn) {
        long sum = 0;
        for (double x : DOUBLES) {
            sum = mix(sum, Double.doubleToLongBits(Math.abs(x)));
            sum = mix(sum, Double.doubleToLongBits(Math.sqrt(x)));
            sum = mix(sum, Double.doubleToLongBits(Math.floor(x)));
            sum = mix(sum, Double.doubleToLongBits(Math.ceil(x)));
            sum = mix(sum, Double.doubleToLongBits(Math.rint(x)));
            sum = mix(sum, Double.doubleToLongBits(Math.fma(x, 3.0, turn)));
            sum = mix(sum, Double.doubleToRawLongBits(x));
            sum = mix(sum, Double.doubleToRawLongBits(Double.longBitsToDouble((long) turn << 40)));
            sum = mix(sum, Math.round(x));
        }
        for (float x : FLOATS) {
            sum = mix(sum, Float.floatToRawIntBits(x));
            sum = mix(sum, Float.floatToIntBits(Float.intBitsToFloat(turn << 10)));
            sum = mix(sum, Float.floatToIntBits(Math.fma(x, 2f, turn)));
            sum = mix(sum, Float.floatToIntBits(Math.abs(x)));
        }
        return sum;
    }

    static final String[] LATIN = new String[70], WIDE = new String[70];

    static void makeStrings() {
        StringBuilder latin = new StringBuilder();
        StringBuilder wide = new StringBuilder();
        for (int i = 0; i < LATIN.length; i++) {
            LATIN[i] = latin.toString();
            WIDE[i] = wide.toString();
            latin.append((char) (i * 7 % 256));
            wide.append((char) (i == 0 ? 0x4E2D : i * 977 % 65536));
        }
    }

    static String changed(String s, int at) {
        char[] c = s.toCharArray();
        c[at] ^= 1;
        return new String(c);
    }

    static long strings(int turn) {
        long sum = 0;
        for (String[] all : new String[][] {LATIN, WIDE}) {
            int n = turn % all.length;
            String s = all[n];
            sum = mix(sum, new String(s.toCharArray()).hashCode());
            sum = mix(sum, s.equals(new String(s.toCharArray())) ? 1 : 0);
            for (int at = 0; at < n; at += 1 + n / 8) {
                String other = changed(s, at);
                sum = mix(sum, s.equals(other) ? 1 : 0);
                sum = mix(sum, s.compareTo(other));
                sum = mix(sum, s.indexOf(s.charAt(at)));
                sum = mix(sum, s.indexOf(s.charAt(at), at / 2));
                sum = mix(sum, s.indexOf(s.substring(at)));
                sum = mix(sum, s.indexOf(s.substring(at, Math.min(n, at + 3)), 1));
                sum = mix(sum, s.contains(other) ? 1 : 0);
                sum = mix(sum, Arrays.mismatch(s.toCharArray(), other.toCharArray()));
                sum = mix(sum, Arrays.mismatch(s.getBytes(StandardCharsets.UTF_16LE), other.getBytes(StandardCharsets.UTF_16LE)));
            }
            sum = mix(sum, s.compareTo(all[(turn * 7) % all.length]));
            sum = mix(sum, s.indexOf(0x1F600) + s.indexOf(-1) + s.indexOf(0x14E2D) + s.indexOf('a', -5) + s.indexOf('a', 100));
            char[] chars = new char[n + 3];
            s.getChars(n / 3, n, chars, 2);
            sum = mix(sum, Arrays.hashCode(chars));
            sum = mix(sum, (s + all[3]).length() + (all[2] + s).hashCode());
        }
        return sum;
    }

    // Chars of strings that have wide ones, by all that reads and writes one, with what is thrown at the ends.
    static long chars(int turn) {
        long sum = 0;
        for (String s : new String[] {WIDE[turn % WIDE.length], "\u4e2d", "ab\ud83d\ude00z", ""}) {
            StringBuilder b = new StringBuilder(s).append('\u20ac').append(s);
            int n = s.length();
            for (int at = -1; at <= n; at++) {
                try {
                    sum = mix(sum, s.charAt(at));
                    b.setCharAt(at + n, (char) (s.charAt(at) + turn));
                    b.insert(at, (char) turn).appendCodePoint(s.codePointAt(at));
                    b.deleteCharAt(b.length() - 1 - at % 3);
                    sum = mix(sum, b.charAt(at + n));
                } catch (IndexOutOfBoundsException e) {
                    sum = mix(sum, e.getMessage().hashCode());
                }
            }
            sum = mix(sum, b.reverse().toString().hashCode());
            sum = mix(sum, s.replace('\u4e2d', (char) turn).toUpperCase().trim().hashCode());
            sum = mix(sum, s.lastIndexOf('z') + s.strip().length() + s.split("\u4e2d").length);
        }
        return sum;
    }

    static long coding(int turn) {
        long sum = 0;
        for (String[] all : new String[][] {LATIN, WIDE}) {
            String s = all[turn % all.length];
            byte[] latin = s.getBytes(StandardCharsets.ISO_8859_1);
            byte[] ascii = s.getBytes(StandardCharsets.US_ASCII);
            byte[] utf8 = s.getBytes(StandardCharsets.UTF_8);
            sum = mix(sum, Arrays.hashCode(latin));
            sum = mix(sum, Arrays.hashCode(ascii));
            sum = mix(sum, Arrays.hashCode(utf8));
            sum = mix(sum, new String(utf8, StandardCharsets.UTF_8).hashCode());
            sum = mix(sum, new String(latin, StandardCharsets.ISO_8859_1).hashCode());
            sum = mix(sum, new String(ascii, 0, ascii.length / 2, StandardCharsets.UTF_8).hashCode());
            sum = mix(sum, Arrays.hashCode(StandardCharsets.ISO_8859_1.encode(s).array()));
            char[] c = s.toCharArray();
            for (int i = 0; i < c.length; i++) {
                c[i] = (char) (i == turn % 71 ? 0x100 : c[i] & 0xFF);
            }
            sum = mix(sum, new String(c).hashCode() ^ String.valueOf(c, 0, c.length / 2).length());
        }
        return sum;
    }

    static Object[] arrays() {
        return new Object[] {new byte[40], new boolean[40], new char[40], new short[40], new int[40], new long[40], new float[40], new double[40],
            new Object[40], new String[40], new Integer[40], new int[40][], null, "no array", new int[0]};
    }

    static int copy(Object from, int fromAt, Object to, int toAt, int length) {
        System.arraycopy(from, fromAt, to, toAt, length);
        return 1;
    }

    static long copies(int turn) {
        Object[] all = arrays();
        long sum = 0;
        int[] ints = (int[]) all[4];
        Object[] objects = (Object[]) all[8];
        for (int i = 0; i < ints.length; i++) {
            ints[i] = i * turn;
            ((byte[]) all[0])[i] = (byte) i;
            ((long[]) all[5])[i] = -i;
            objects[i] = i % 5 == turn % 5 ? (Object) i : "s" + i;
            ((String[]) all[9])[i] = "t" + i;
        }
        int n = turn % 36;
        copy(ints, 0, ints, 3, n);
        copy(ints, 3, ints, 0, n);
        copy(all[0], 1, all[0], 2, n);
        copy(all[5], 2, all[5], 1, n);
        copy(all[9], 0, objects, 1, n);
        copy(objects, 1, objects, 0, n);
        try {
            sum = copy(objects, 0, all[9], 0, 40);
        } catch (ArrayStoreException e) {
            sum = mix(sum, e.getMessage().hashCode());
        }
        sum = mix(sum, Arrays.hashCode(ints) + Arrays.hashCode((byte[]) all[0]) + Arrays.hashCode((long[]) all[5]));
        return mix(sum, Arrays.hashCode(objects) + Arrays.hashCode((String[]) all[9]) + Arrays.copyOf(ints, n).length + objects.clone().length);
    }

    static String wrong(Object from, int fromAt, Object to, int toAt, int length) {
        try {
            copy(from, fromAt, to, toAt, length);
            return "done";
        } catch (RuntimeException e) {
            return e.getMessage();
        }
    }

    static long wrongCopies(int turn) {
        Object[] all = arrays();
        long sum = 0;
        for (Object from : all) {
            Object to = all[turn % all.length];
            for (int[] range : new int[][] {{0, 0, 1}, {-1, 0, 1}, {0, -1, 1}, {0, 0, -1}, {39, 0, 2}, {0, 39, 2}, {Integer.MAX_VALUE, 0, 1},
                {1, 1, Integer.MAX_VALUE}, {0, 0, 41}, {40, 40, 0}, {41, 0, 0}}) {
                String text = wrong(from, range[0], to, range[1], range[2]);
                sum = mix(sum, text == null ? 7 : text.hashCode());
            }
        }
        return sum;
    }

    static final byte[] LARGE = new byte[300_000], LARGE_TO = new byte[300_000];

    static long large(int turn) {
        LARGE[turn * 577 % LARGE.length] = (byte) turn;
        int n = 65_530 + turn % 20;
        copy(LARGE, turn, LARGE_TO, turn + 3, n);
        copy(LARGE, 0, LARGE, 1, 200_000);
        int different = Arrays.mismatch(LARGE, LARGE_TO);
        return different + LARGE_TO[turn + 3] + new String(LARGE, StandardCharsets.ISO_8859_1).hashCode() % 7;
    }

    static class Fields {
        byte b = 1;
        char c = 2;
        short s = 3;
        int i = 4;
        long j = 5;
        Object o = "six";
        volatile int v;
        float f = 7;
        double d = 8;
        boolean z;
    }

    static final Unsafe U;
    static final long B, C, S, I, J, O;
    static final VarHandle V, VI, VO, VB;

    static {
        try {
            Field f = Unsafe.class.getDeclaredField("theUnsafe");
            f.setAccessible(true);
            U = (Unsafe) f.get(null);
            B = U.objectFieldOffset(Fields.class.getDeclaredField("b"));
            C = U.objectFieldOffset(Fields.class.getDeclaredField("c"));
            S = U.objectFieldOffset(Fields.class.getDeclaredField("s"));
            I = U.objectFieldOffset(Fields.class.getDeclaredField("i"));
            J = U.objectFieldOffset(Fields.class.getDeclaredField("j"));
            O = U.objectFieldOffset(Fields.class.getDeclaredField("o"));
            V = MethodHandles.lookup().findVarHandle(Fields.class, "v", int.class);
            VO = MethodHandles.lookup().findVarHandle(Fields.class, "o", Object.class);
            VI = MethodHandles.arrayElementVarHandle(int[].class);
            VB = MethodHandles.byteArrayViewVarHandle(long[].class, java.nio.ByteOrder.BIG_ENDIAN);
        } catch (ReflectiveOperationException e) {
            throw new Error(e);
        }
    }

    static final long MEMORY = U.allocateMemory(64);

    static long memoryOf(Object o, long at, int turn) {
        U.putInt(o, at, turn);
        U.putByte(o, at, (byte) (turn * 3));
        long sum = U.getInt(o, at) + U.getByte(o, at) + U.getChar(o, at) + U.getShort(o, at);
        U.putShort(o, at, (short) -turn);
        sum = mix(sum, U.getShortVolatile(o, at) + U.getCharVolatile(o, at) + U.getByteVolatile(o, at));
        U.putIntVolatile(o, at, turn * 5);
        sum = mix(sum, U.compareAndSwapInt(o, at, turn * 5, turn) ? 1 : 0);
        sum = mix(sum, U.compareAndSwapInt(o, at, turn * 5 + 1, 9) ? 1 : 0);
        sum = mix(sum, U.getAndAddInt(o, at, 7) + U.getAndSetInt(o, at, 3) + U.getIntVolatile(o, at));
        return sum;
    }

    static long longsOf(Object o, long at, int turn) {
        U.putLong(o, at, turn * 0x100000001L);
        long sum = U.getLong(o, at) + (U.compareAndSwapLong(o, at, turn * 0x100000001L, 5) ? 1 : 0);
        sum = mix(sum, U.compareAndSwapLong(o, at, 6, 7) ? 1 : 0);
        sum = mix(sum, U.getAndAddLong(o, at, 1L << 40) + U.getAndSetLong(o, at, turn));
        U.putLongVolatile(o, at, U.getLongVolatile(o, at) + 1);
        return mix(sum, U.getLong(o, at));
    }

    static long unsafe(int turn) {
        Fields f = new Fields();
        long sum = mix(memoryOf(f, I, turn), memoryOf(null, MEMORY, turn));
        sum = mix(sum, memoryOf(new int[4], 16 + turn % 4 * 4, turn));
        sum = mix(sum, longsOf(f, J, turn));
        sum = mix(sum, longsOf(null, MEMORY + 8, turn));
        U.putChar(f, C, (char) turn);
        U.putByte(f, B, (byte) turn);
        String s = "s" + turn;
        U.putObject(f, O, s);
        sum = mix(sum, f.c + f.b + f.s + (U.getObject(f, O) == s ? 1 : 0));
        sum = mix(sum, U.compareAndSwapObject(f, O, s, "other") ? 1 : 0);
        sum = mix(sum, U.compareAndSwapObject(f, O, s, "wrong") ? 1 : 0);
        sum = mix(sum, U.getAndSetObject(f, O, null).hashCode());
        U.putObjectVolatile(f, O, s);
        return mix(sum, U.getObjectVolatile(f, O).hashCode() + (f.getClass() == Fields.class ? 1 : 0));
    }

    static final AtomicInteger AI = new AtomicInteger();
    static final AtomicLong AL = new AtomicLong();
    static final AtomicReference<Object> AR = new AtomicReference<>();

    static long atomics(int turn) {
        Fields f = new Fields();
        int[] ints = new int[5];
        byte[] bytes = new byte[32];
        long sum = AI.incrementAndGet() + AI.getAndAdd(turn) + AI.getAndSet(turn) + (AI.compareAndSet(turn, 5) ? 1 : 0);
        sum = mix(sum, AL.addAndGet(turn) + AL.getAndIncrement() + (AL.compareAndSet(1, 2) ? 1 : 0) + AL.updateAndGet(x -> x * 3));
        Object before = AR.getAndSet(turn);
        sum = mix(sum, (before == null ? 0 : before.hashCode()) + (AR.compareAndSet(before, 1) ? 1 : 0));
        sum = mix(sum, (int) V.getAndAdd(f, turn) + (int) V.getVolatile(f) + (V.compareAndSet(f, turn, 3) ? 1 : 0) + (int) V.getAcquire(f));
        VO.setRelease(f, "r" + turn);
        sum = mix(sum, VO.get(f).hashCode() + (VO.compareAndSet(f, f.o, "x") ? 1 : 0) + VO.getAndSet(f, "y").hashCode());
        VI.setVolatile(ints, turn % 5, turn);
        sum = mix(sum, (int) VI.get(ints, turn % 5) + (int) VI.compareAndExchange(ints, turn % 5, turn, 9));
        VB.set(bytes, turn % 24, (long) turn << 33);
        sum = mix(sum, Arrays.hashCode(bytes) + (long) VB.get(bytes, (turn + 1) % 24));
        try {
            sum += (int) VI.get(ints, 5 + turn % 2);
        } catch (IndexOutOfBoundsException e) {
            sum = mix(sum, e.getMessage().hashCode());
        }
        return sum;
    }

    static long objects(int turn) {
        Object o = turn % 3 == 0 ? "s" : turn % 3 == 1 ? (Object) turn : new int[turn % 4];
        long sum = o.getClass().getName().hashCode();
        sum = mix(sum, System.identityHashCode(null) + (System.identityHashCode(o) == System.identityHashCode(o) ? 1 : 0));
        sum = mix(sum, String.class.isInstance(o) ? 1 : 0);
        sum = mix(sum, int[].class.isInstance(o) || int.class.isInstance(o) ? 1 : 0);
        sum = mix(sum, Comparable.class.isInstance(o) ? 1 : 0);
        sum = mix(sum, Thread.currentThread().getName().hashCode());
        Object plain = new Object();
        sum = mix(sum, plain.hashCode() == plain.hashCode() ? 1 : 0);
        try {
            Object none = turn % 2 == 0 ? null : o;
            return sum + none.getClass().hashCode() * 0;
        } catch (NullPointerException e) {
            return sum + 1;
        }
    }

    interface Turn {
        long take(int turn);
    }

    static void show(String what, int turns, Turn turn) {
        long sum = 0;
        for (int i = 0; i < turns; i++) {
            sum = mix(sum, turn.take(i));
        }
        System.out.println(what + " " + sum);
    }

    public static void main(String[] args) {
        makeStrings();
        show("bits", 1000, Intrinsics::bits);
        show("numbers", 1000, Intrinsics::numbers);
        show("strings", 1400, Intrinsics::strings);
        show("chars", 400, Intrinsics::chars);
        show("coding", 1400, Intrinsics::coding);
        show("copies", 1000, Intrinsics::copies);
        show("wrong copies", 300, Intrinsics::wrongCopies);
        show("large", 40, Intrinsics::large);
        show("unsafe", 2000, Intrinsics::unsafe);
        show("atomics", 2000, Intrinsics::atomics);
        show("objects", 2000, Intrinsics::objects);
    }
}
