// SPDX-License-Identifier: Apache-2.0
// Methods of all kinds of arithmetic, arrays, fields, branches, switches, loops and exceptions, run in a second VM whose builds other than
// release let half of the calls begin in the compiler's evaluator, leaving at any state (src/jit/evaluate.c); it ends with
// an error if too few did. What they compute is as on HotSpot.
// @modes stress
// @timeout 120
import java.util.Random;

public class Evaluate {
    static final int[] INTS = {0, 1, -1, 2, 31, 32, 63, 64, 100, -100, 255, 65535, 1 << 16, Integer.MAX_VALUE, Integer.MIN_VALUE};
    static final double[] DOUBLES = {0.0, -0.0, 1.5, -2.25, 1e10, -1e10, 1e300, Double.MIN_VALUE, Double.MAX_VALUE, Double.NaN,
        Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};

    static class Holder {
        boolean z;
        byte b;
        char c;
        short s;
        int i;
        long l;
        float f;
        double d;
        Object o;
        volatile int vi;
        volatile long vl;
        static int si;
        static long sl;
        static Object so;
    }

    static int ints(int a, int b) {
        int r = a + b * 3 - (a ^ b) + (a & b | ~a);
        r += a << b;
        r ^= a >> b;
        r -= a >>> b;
        r = -r;
        return (byte) r + (char) r + (short) r;
    }

    static int divide(int a, int b) {
        return a / b * 7 + a % b;
    }

    static long longs(long a, long b, int n) {
        long r = a * b + (a << n) - (b >>> n) + (a >> n);
        return r / (b | 1) + r % (a | 1) + Long.compare(a, b) + (a < b ? 1 : 2);
    }

    static double doubles(double a, double b) {
        double r = a * b + a / b - b % a - -a;
        return a < b ? r : a >= b ? r + 1 : r + 2;
    }

    static float floats(float a, float b) {
        float r = a * b - a / b + a % b;
        return a > b ? r : -r;
    }

    static long convert(double d, float f, long l, int i) {
        return (int) d + (long) d + (int) f + (long) f + (int) l + (long) (float) l + (long) (double) i + (long) (double) (float) d;
    }

    static int bytes(byte[] a, int i, int v) {
        a[i] = (byte) v;
        return a[i] + a[a.length - 1 - i];
    }

    static boolean booleans(boolean[] a, int i, boolean v) {
        a[i] = v;
        a[i] ^= a[a.length - 1];
        return a[i];
    }

    static long arrays(char[] c, short[] s, int[] n, long[] l, float[] f, double[] d, Object[] o, int i) {
        c[i] += (char) i;
        s[i] -= (short) i;
        n[i] ^= c[i];
        l[i] += n[i] + s[i];
        f[i] = f[i] * 2 + n[i];
        d[i] = f[i] / 3;
        o[i] = o[o.length - 1 - i];
        return c[i] + s[i] + n[i] + l[i] + (long) f[i] + (long) d[i] + (o[i] == o[0] ? 1 : 0);
    }

    static long fields(Holder h, int v) {
        h.z = (v & 1) != 0;
        h.b = (byte) v;
        h.c = (char) v;
        h.s = (short) v;
        h.i += v;
        h.l += h.i;
        h.f = h.l;
        h.d = h.f + h.b;
        h.o = h.z ? h : h.o;
        h.vi = h.i;
        h.vl += h.vi;
        Holder.si += h.c;
        Holder.sl ^= h.vl;
        Holder.so = h.o;
        return (h.z ? 1 : 0) + h.b + h.c + h.s + h.i + h.l + (long) h.d + h.vl + Holder.si + Holder.sl + (Holder.so == h ? 1 : 0);
    }

    static int dense(int v) {
        switch (v & 7) {
            case 0: return 5;
            case 1: return v;
            case 2: v += 3;
            case 3: v *= 2;
            case 6: return v + 1;
            default: return -v;
        }
    }

    static int sparse(int v) {
        switch (v) {
            case Integer.MIN_VALUE: return 1;
            case -100: return 2;
            case 64: return 3;
            case 65535: return 4;
            case Integer.MAX_VALUE: return 5;
            default: return 6;
        }
    }

    static long nested(int n, int m) {
        long sum = 0;
        for (int i = 0; i < (n & 15); i++) {
            int k = i;
            for (int j = m & 7; j > 0; j--) {
                if ((i + j) % 3 == 0)
                    continue;
                sum += k * j;
                k += j;
            }
            if (sum > 2000)
                break;
            sum ^= i;
        }
        return sum;
    }

    // The two values of a loop change places: its phis are taken at once.
    static int swapped(int a, int b, int n) {
        for (int i = 0; i < (n & 7); i++) {
            int t = a;
            a = b;
            b = t;
        }
        return a - 3 * b;
    }

    static int casts(Object o) {
        if (o instanceof String)
            return ((String) o).isEmpty() ? 1 : 2;
        if (o instanceof Comparable)
            return 3;
        return ((Number[]) o).length;
    }

    static synchronized int locked(Object o, int v) {
        synchronized (o) {
            return v / (v & 3);
        }
    }

    static String caught(int which, int a) {
        try {
            switch (which % 6) {
                case 0: return "" + divide(a, a & 1);
                case 1: return "" + new int[3][a & 3][0].length;
                case 2: return "" + casts(a > 0 ? "x" : new Object());
                case 3: ((Object[]) new String[2])[a & 1] = a > 0 ? (Object) "s" : (Object) a; return "stored";
                case 4: return "" + new byte[a].length;
                default: return "" + locked(a > 5 ? "o" : null, a);
            }
        } catch (ArithmeticException | NullPointerException | ClassCastException | ArrayStoreException e) {
            return e.getClass().getName();
        } catch (IndexOutOfBoundsException | NegativeArraySizeException | OutOfMemoryError e) {
            return e.getClass().getSimpleName();
        }
    }

    static long round(Random random) {
        int a = INTS[random.nextInt(INTS.length)], b = INTS[random.nextInt(INTS.length)], i = random.nextInt(8);
        double x = DOUBLES[random.nextInt(DOUBLES.length)], y = DOUBLES[random.nextInt(DOUBLES.length)];
        long h = ints(a, b) * 31L + longs(a * 1_000_003L, b, i);
        h = h * 31 + Double.doubleToLongBits(doubles(x, y)) + Float.floatToIntBits(floats((float) y, (float) x));
        h = h * 31 + convert(x, (float) y, a * (long) b, a);
        h = h * 31 + bytes(new byte[8], i, a) + (booleans(new boolean[8], i, a > 0) ? 1 : 0);
        h = h * 31 + arrays(new char[8], new short[8], new int[] {a, b, 1, 2, 3, 4, 5, 6}, new long[8], new float[8], new double[8],
            new Object[] {"a", "b", null, null, null, null, "c", "d"}, i);
        h = h * 31 + fields(new Holder(), a) + dense(b) + sparse(a) + nested(a, b) + swapped(a, b, i);
        return h * 31 + caught(i, a % 1000).hashCode();
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            Random random = new Random(42);
            long sum = 0;
            for (int n = 0; n < 2000; n++) {
                sum = sum * 17 + round(random);
                if (n % 200 == 199)
                    System.out.println(sum);
            }
            return;
        }
        ProcessBuilder child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx64m", "-cp",
            System.getProperty("java.class.path"), "Evaluate", "child");
        child.environment().put("PELLUCID_EVALUATE", "2:30:10000");
        System.out.println("exit code " + child.inheritIO().start().waitFor());
    }
}
