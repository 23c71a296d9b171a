// SPDX-License-Identifier: Apache-2.0
// Operands that turn out to be constants when loads have found what was stored: conversions of all that fits and does not, arithmetic,
// comparisons, shifts, bits, branches, switches, indices. What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05
// @quick
public class LateConstants {
    int i, k;
    long j, l;
    float f, g;
    double d, e;
    static int between;
    static int[] array = {5, 6, 7, 8};

    static String f2i(LateConstants c) {
        c.f = 2147483648f; between++; int a = (int) c.f;
        c.f = -2147483648f; between++; int b = (int) c.f;
        c.f = Float.NaN; between++; int n = (int) c.f;
        c.f = Float.POSITIVE_INFINITY; between++; int p = (int) c.f;
        c.f = Float.NEGATIVE_INFINITY; between++; int m = (int) c.f;
        c.f = -1.9f; between++; int s = (int) c.f;
        c.f = 2147483520f; between++; int t = (int) c.f;
        return a + " " + b + " " + n + " " + p + " " + m + " " + s + " " + t;
    }
    static String f2l(LateConstants c) {
        c.f = 9.223372E18f; between++; long a = (long) c.f;
        c.f = -9.223372E18f; between++; long b = (long) c.f;
        c.f = Float.NaN; between++; long n = (long) c.f;
        c.f = Float.POSITIVE_INFINITY; between++; long p = (long) c.f;
        c.f = Float.NEGATIVE_INFINITY; between++; long m = (long) c.f;
        c.f = 1e10f; between++; long s = (long) c.f;
        return a + " " + b + " " + n + " " + p + " " + m + " " + s;
    }
    static String d2i(LateConstants c) {
        c.d = 2147483648.0; between++; int a = (int) c.d;
        c.d = -2147483649.0; between++; int b = (int) c.d;
        c.d = Double.NaN; between++; int n = (int) c.d;
        c.d = Double.POSITIVE_INFINITY; between++; int p = (int) c.d;
        c.d = Double.NEGATIVE_INFINITY; between++; int m = (int) c.d;
        c.d = -0.0; between++; int s = (int) c.d;
        return a + " " + b + " " + n + " " + p + " " + m + " " + s;
    }
    static String d2l(LateConstants c) {
        c.d = 9.223372036854775807E18; between++; long a = (long) c.d;
        c.d = -9.3E18; between++; long b = (long) c.d;
        c.d = Double.NaN; between++; long n = (long) c.d;
        c.d = Double.POSITIVE_INFINITY; between++; long p = (long) c.d;
        c.d = Double.NEGATIVE_INFINITY; between++; long m = (long) c.d;
        c.d = 1e18; between++; long s = (long) c.d;
        return a + " " + b + " " + n + " " + p + " " + m + " " + s;
    }
    static String widths(LateConstants c) {
        c.i = -129; c.j = 0x123456789ABCDEF0L; c.f = 1.1f; c.d = 1e300; between++;
        return (byte) c.i + " " + (char) c.i + 0 + " " + (short) c.i + " " + (long) c.i + " " + (float) c.i + " " + (double) c.i + " " + (int) c.j + " " + (float) c.j + " "
            + (double) c.j + " " + (double) c.f + " " + (float) c.d;
    }
    static String ints(LateConstants c) {
        c.i = Integer.MIN_VALUE; c.k = -1; between++;
        return c.i + c.k + " " + (c.i - c.k) + " " + c.i * c.k + " " + c.i / c.k + " " + c.i % c.k + " " + (c.i & c.k) + " " + (c.i | c.k) + " " + (c.i ^ c.k) + " " + -c.i + " "
            + (c.i << c.k) + " " + (c.i >> c.k) + " " + (c.i >>> c.k);
    }
    static String longs(LateConstants c) {
        c.j = Long.MIN_VALUE + 5; c.l = 0x7000000000000001L; c.k = 67; between++;
        return c.j + c.l + " " + (c.j - c.l) + " " + c.j * c.l + " " + c.j / c.l + " " + c.j % c.l + " " + (c.j & c.l) + " " + (c.j | c.l) + " " + (c.j ^ c.l) + " " + -c.j + " "
            + (c.j << c.k) + " " + (c.j >> c.k) + " " + (c.j >>> c.k) + " " + (c.j < c.l) + " " + Long.compare(c.j, c.l) + " " + Math.multiplyHigh(c.j, c.l);
    }
    static String floats(LateConstants c) {
        c.f = -7.5f; c.g = 2f; between++;
        return c.f + c.g + " " + (c.f - c.g) + " " + c.f * c.g + " " + c.f / c.g + " " + c.f % c.g + " " + -c.f + " " + (c.f < c.g) + (c.f >= c.g) + (c.f == c.g) + " "
            + Float.floatToRawIntBits(c.f) + " " + Math.abs(c.f) + " " + Float.compare(c.f, c.g);
    }
    static String doubles(LateConstants c) {
        c.d = -7.5; c.e = Double.NaN; between++;
        return c.d + c.e + " " + (c.d - 1) + " " + c.d * c.d + " " + c.d / c.d + " " + c.d % 2 + " " + -c.d + " " + (c.d < c.e) + (c.d >= c.e) + (c.d != c.e) + " "
            + Double.doubleToRawLongBits(c.d) + " " + Math.abs(c.d) + " " + Math.floor(c.d) + Math.ceil(c.d) + Math.rint(c.d) + Math.sqrt(-c.d);
    }
    static String bits(LateConstants c) {
        c.i = 0x00F0_0100; c.j = 0x00F0_0100_0000_0000L; between++;
        return Integer.bitCount(c.i) + " " + Integer.numberOfLeadingZeros(c.i) + " " + Integer.numberOfTrailingZeros(c.i) + " " + Integer.reverseBytes(c.i) + " "
            + Long.bitCount(c.j) + " " + Long.numberOfLeadingZeros(c.j) + " " + Long.numberOfTrailingZeros(c.j) + " " + Long.reverseBytes(c.j) + " "
            + Float.intBitsToFloat(c.i) + " " + Double.longBitsToDouble(c.j);
    }
    static String flow(LateConstants c) {
        c.i = 3; c.k = 3; c.j = 1L << 40; c.l = 1L << 40; between++;
        int r = 0;
        if (c.i == c.k)
            r += 1;
        if (c.j == c.l)
            r += 2;
        if (c.i < 2)
            r += 4;
        switch (c.i) {
        case 1: r += 8; break;
        case 3: r += 16; break;
        case 9: r += 32; break;
        default: r += 64;
        }
        r += array[c.i] * 1000;
        array[c.i - 3] = c.k + 2;
        return r + " " + array[0];
    }
    static String traps(LateConstants c) {
        String s = "";
        c.i = 7; c.k = 0; between++;
        try {
            s += c.i / c.k;
        } catch (ArithmeticException e) {
            s += "divided ";
        }
        c.i = 4; between++;
        try {
            s += array[c.i];
        } catch (ArrayIndexOutOfBoundsException e) {
            s += "index ";
        }
        c.i = -1; between++;
        try {
            s += new int[c.i].length;
        } catch (NegativeArraySizeException e) {
            s += "size";
        }
        return s;
    }

    public static void main(String[] args) {
        LateConstants c = new LateConstants();
        String last = "";
        for (int turn = 0; turn < 1500; turn++) {
            String now = String.join("\n", f2i(c), f2l(c), d2i(c), d2l(c), widths(c), ints(c), longs(c), floats(c), doubles(c), bits(c), flow(c), traps(c));
            if (!now.equals(last))
                System.out.println(turn + ":\n" + now);
            last = now;
        }
        System.out.println(between);
    }
}
