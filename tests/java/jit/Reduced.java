// SPDX-License-Identifier: Apache-2.0
// Divisions by constants, which compiled code does by multiplications and shifts, beside divisions by variables; masks of longs and
// conversions that change nothing.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05
// @modes asan stress
import java.util.function.*;

public class Reduced {
    static final int[] INTS = {
        1, -1, 2, -2, 3, -3, 4, 5, -5, 6, 7, -7, 9, 10, -10, 11, 12, 13, 25, 60, 64, -64, 100,
        125, 127, 128, 255, 625, 641, 1000, 1024, 3600, 10000, 65535, 65536, 65537, -65537,
        86400, 1000000, 1000003, 16777213, 1000000000, -1000000000, 1431655765, 1073741824,
        -1073741824, 2147483646, 2147483647, -2147483647, Integer.MIN_VALUE
    };
    static final IntUnaryOperator[] INT_QUOTIENTS = {
        x -> x / 1, x -> x / -1, x -> x / 2, x -> x / -2, x -> x / 3, x -> x / -3, x -> x / 4,
        x -> x / 5, x -> x / -5, x -> x / 6, x -> x / 7, x -> x / -7, x -> x / 9, x -> x / 10,
        x -> x / -10, x -> x / 11, x -> x / 12, x -> x / 13, x -> x / 25, x -> x / 60,
        x -> x / 64, x -> x / -64, x -> x / 100, x -> x / 125, x -> x / 127, x -> x / 128,
        x -> x / 255, x -> x / 625, x -> x / 641, x -> x / 1000, x -> x / 1024, x -> x / 3600,
        x -> x / 10000, x -> x / 65535, x -> x / 65536, x -> x / 65537, x -> x / -65537,
        x -> x / 86400, x -> x / 1000000, x -> x / 1000003, x -> x / 16777213,
        x -> x / 1000000000, x -> x / -1000000000, x -> x / 1431655765, x -> x / 1073741824,
        x -> x / -1073741824, x -> x / 2147483646, x -> x / 2147483647, x -> x / -2147483647,
        x -> x / Integer.MIN_VALUE
    };
    static final IntUnaryOperator[] INT_RESTS = {
        x -> x % 1, x -> x % -1, x -> x % 2, x -> x % -2, x -> x % 3, x -> x % -3, x -> x % 4,
        x -> x % 5, x -> x % -5, x -> x % 6, x -> x % 7, x -> x % -7, x -> x % 9, x -> x % 10,
        x -> x % -10, x -> x % 11, x -> x % 12, x -> x % 13, x -> x % 25, x -> x % 60,
        x -> x % 64, x -> x % -64, x -> x % 100, x -> x % 125, x -> x % 127, x -> x % 128,
        x -> x % 255, x -> x % 625, x -> x % 641, x -> x % 1000, x -> x % 1024, x -> x % 3600,
        x -> x % 10000, x -> x % 65535, x -> x % 65536, x -> x % 65537, x -> x % -65537,
        x -> x % 86400, x -> x % 1000000, x -> x % 1000003, x -> x % 16777213,
        x -> x % 1000000000, x -> x % -1000000000, x -> x % 1431655765, x -> x % 1073741824,
        x -> x % -1073741824, x -> x % 2147483646, x -> x % 2147483647, x -> x % -2147483647,
        x -> x % Integer.MIN_VALUE
    };
    static final long[] LONGS = {
        1L, -1L, 2L, -2L, 3L, -3L, 4L, 5L, -5L, 6L, 7L, -7L, 9L, 10L, -10L, 11L, 12L, 13L, 25L,
        60L, 64L, -64L, 100L, 125L, 127L, 128L, 255L, 625L, 641L, 1000L, 1024L, 3600L, 10000L,
        65535L, 65536L, 65537L, -65537L, 86400L, 1000000L, 1000003L, 16777213L, 1000000000L,
        -1000000000L, 1431655765L, 1073741824L, -1073741824L, 2147483646L, 2147483647L,
        -2147483647L, -2147483648L, 2147483648L, -2147483648L, 4294967295L, 4294967296L,
        4294967297L, -4294967297L, 1000000007000L, 86400000000L, 10000000000L,
        1000000000000000L, 1000000000000000000L, -1000000000000000000L, 6148914691236517205L,
        4611686018427387904L, -4611686018427387904L, 9223372036854775806L, 9223372036854775807L,
        -9223372036854775807L, Long.MIN_VALUE, 274177L, 6700417L, 3037000500L
    };
    static final LongUnaryOperator[] LONG_QUOTIENTS = {
        x -> x / 1L, x -> x / -1L, x -> x / 2L, x -> x / -2L, x -> x / 3L, x -> x / -3L,
        x -> x / 4L, x -> x / 5L, x -> x / -5L, x -> x / 6L, x -> x / 7L, x -> x / -7L,
        x -> x / 9L, x -> x / 10L, x -> x / -10L, x -> x / 11L, x -> x / 12L, x -> x / 13L,
        x -> x / 25L, x -> x / 60L, x -> x / 64L, x -> x / -64L, x -> x / 100L, x -> x / 125L,
        x -> x / 127L, x -> x / 128L, x -> x / 255L, x -> x / 625L, x -> x / 641L,
        x -> x / 1000L, x -> x / 1024L, x -> x / 3600L, x -> x / 10000L, x -> x / 65535L,
        x -> x / 65536L, x -> x / 65537L, x -> x / -65537L, x -> x / 86400L, x -> x / 1000000L,
        x -> x / 1000003L, x -> x / 16777213L, x -> x / 1000000000L, x -> x / -1000000000L,
        x -> x / 1431655765L, x -> x / 1073741824L, x -> x / -1073741824L, x -> x / 2147483646L,
        x -> x / 2147483647L, x -> x / -2147483647L, x -> x / -2147483648L,
        x -> x / 2147483648L, x -> x / -2147483648L, x -> x / 4294967295L, x -> x / 4294967296L,
        x -> x / 4294967297L, x -> x / -4294967297L, x -> x / 1000000007000L,
        x -> x / 86400000000L, x -> x / 10000000000L, x -> x / 1000000000000000L,
        x -> x / 1000000000000000000L, x -> x / -1000000000000000000L,
        x -> x / 6148914691236517205L, x -> x / 4611686018427387904L,
        x -> x / -4611686018427387904L, x -> x / 9223372036854775806L,
        x -> x / 9223372036854775807L, x -> x / -9223372036854775807L, x -> x / Long.MIN_VALUE,
        x -> x / 274177L, x -> x / 6700417L, x -> x / 3037000500L
    };
    static final LongUnaryOperator[] LONG_RESTS = {
        x -> x % 1L, x -> x % -1L, x -> x % 2L, x -> x % -2L, x -> x % 3L, x -> x % -3L,
        x -> x % 4L, x -> x % 5L, x -> x % -5L, x -> x % 6L, x -> x % 7L, x -> x % -7L,
        x -> x % 9L, x -> x % 10L, x -> x % -10L, x -> x % 11L, x -> x % 12L, x -> x % 13L,
        x -> x % 25L, x -> x % 60L, x -> x % 64L, x -> x % -64L, x -> x % 100L, x -> x % 125L,
        x -> x % 127L, x -> x % 128L, x -> x % 255L, x -> x % 625L, x -> x % 641L,
        x -> x % 1000L, x -> x % 1024L, x -> x % 3600L, x -> x % 10000L, x -> x % 65535L,
        x -> x % 65536L, x -> x % 65537L, x -> x % -65537L, x -> x % 86400L, x -> x % 1000000L,
        x -> x % 1000003L, x -> x % 16777213L, x -> x % 1000000000L, x -> x % -1000000000L,
        x -> x % 1431655765L, x -> x % 1073741824L, x -> x % -1073741824L, x -> x % 2147483646L,
        x -> x % 2147483647L, x -> x % -2147483647L, x -> x % -2147483648L,
        x -> x % 2147483648L, x -> x % -2147483648L, x -> x % 4294967295L, x -> x % 4294967296L,
        x -> x % 4294967297L, x -> x % -4294967297L, x -> x % 1000000007000L,
        x -> x % 86400000000L, x -> x % 10000000000L, x -> x % 1000000000000000L,
        x -> x % 1000000000000000000L, x -> x % -1000000000000000000L,
        x -> x % 6148914691236517205L, x -> x % 4611686018427387904L,
        x -> x % -4611686018427387904L, x -> x % 9223372036854775806L,
        x -> x % 9223372036854775807L, x -> x % -9223372036854775807L, x -> x % Long.MIN_VALUE,
        x -> x % 274177L, x -> x % 6700417L, x -> x % 3037000500L
    };
    static long sum;

    static void check(String what, long x, long d, long is, long expected) {
        sum = sum * 31 + is;
        if (is != expected)
            System.out.println(x + " " + what + " " + d + " is " + is + ", not " + expected);
    }

    static void divide(int i, int x) {
        int d = INTS[i];
        check("/", x, d, INT_QUOTIENTS[i].applyAsInt(x), x / d);
        check("%", x, d, INT_RESTS[i].applyAsInt(x), x % d);
    }

    static void divide(int i, long x) {
        long d = LONGS[i];
        check("/", x, d, LONG_QUOTIENTS[i].applyAsLong(x), x / d);
        check("%", x, d, LONG_RESTS[i].applyAsLong(x), x % d);
    }

    // Around the multiples of d near the ends, near 0, and some by chance.
    static void divideAll(int i) {
        int d = INTS[i];
        int[] near = {0, d, -d, d * 2, Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MAX_VALUE / d * d, Integer.MIN_VALUE / d * d, d / 2};
        for (int x : near)
            for (int off = -2; off <= 2; off++)
                divide(i, x + off);
        for (int k = 0, x = 1; k < 60; k++, x = x * 1664525 + 1013904223)
            divide(i, x >> (k & 31));
    }

    static void divideAllLong(int i) {
        long d = LONGS[i];
        long[] near = {0, d, -d, d * 2, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE / d * d, Long.MIN_VALUE / d * d, d / 2};
        for (long x : near)
            for (int off = -2; off <= 2; off++)
                divide(i, x + off);
        long x = 1;
        for (int k = 0; k < 60; k++, x = x * 6364136223846793005L + 1442695040888963407L)
            divide(i, x >> (k & 63));
    }

    // ---- multiplication ----

    static final int[] INT_FACTORS = {
        0, 1, 2, 3, 4, 5, 6, 7,
        9, 15, 16, 17, 31, 33, -1, -2,
        -3, 255, 256, 257, 65535, 65537, 2147483647, -2147483647,
        -2147483648, 1073741823, 1073741825
    };
    static final IntUnaryOperator[] INT_PRODUCTS = {
        x -> x * 0, x -> x * 1, x -> x * 2, x -> x * 3, x -> x * 4, x -> x * 5, x -> x * 6, x -> x * 7,
        x -> x * 9, x -> x * 15, x -> x * 16, x -> x * 17, x -> x * 31, x -> x * 33, x -> x * -1, x -> x * -2,
        x -> x * -3, x -> x * 255, x -> x * 256, x -> x * 257, x -> x * 65535, x -> x * 65537, x -> x * 2147483647, x -> x * -2147483647,
        x -> x * -2147483648, x -> x * 1073741823, x -> x * 1073741825
    };
    static final long[] LONG_FACTORS = {
        0L, 1L, 2L, 3L, 5L, 31L, 33L, -1L,
        -31L, 4294967295L, 4294967296L, 4294967297L, 9223372036854775807L, -9223372036854775808L, -9223372036854775807L, 4611686018427387903L,
        4611686018427387905L
    };
    static final LongUnaryOperator[] LONG_PRODUCTS = {
        x -> x * 0L, x -> x * 1L, x -> x * 2L, x -> x * 3L, x -> x * 5L, x -> x * 31L, x -> x * 33L, x -> x * -1L,
        x -> x * -31L, x -> x * 4294967295L, x -> x * 4294967296L, x -> x * 4294967297L, x -> x * 9223372036854775807L, x -> x * -9223372036854775808L, x -> x * -9223372036854775807L, x -> x * 4611686018427387903L,
        x -> x * 4611686018427387905L
    };

    static long product(int x, int k) {
        multiply(x >> (k & 31), (long) x * x * x << (k & 15));
        return sum * 31;
    }

    static void multiply(int x, long y) {
        for (int i = 0; i < INT_FACTORS.length; i++)
            if (INT_PRODUCTS[i].applyAsInt(x) != x * INT_FACTORS[i])
                throw new AssertionError(x + " * " + INT_FACTORS[i]);
        for (int i = 0; i < LONG_FACTORS.length; i++)
            if (LONG_PRODUCTS[i].applyAsLong(y) != y * LONG_FACTORS[i])
                throw new AssertionError(y + " * " + LONG_FACTORS[i]);
    }

    // ---- masks and conversions ----

    static byte[] bytes = {0, 1, -1, 127, -128};
    static char[] chars = {0, 1, 127, 255, 256, 32767, 32768, 65535};
    static short[] shorts = {0, 1, -1, 255, 32767, -32768};

    static long mask(int x) {
        return (x & 0xFFFFFFFFL) * 3 + (x & 0x7FFFFFFFL) * 5 + (x & 0xFFL) * 7 + (x & 0x80000000L) * 11 + (x & 0x1FFFFFFFFL) * 13 + (x & -256L) * 17;
    }

    static long mask(long x) {
        return (x & 0xFFFFFFFFL) * 3 + (x & 0x7FFFFFFFL) * 5 + (x & 0xFFFF0000FFFFL) * 7 + ((int) (x & 0xFFFFFFFFL)) * 11L
            + ((x & 0xFFFFFFFFL) >>> 31) * 13 + ((int) (long) (int) x) * 17L + (int) (((int) x & 0xFFFFFFFFL) - 1) * 19L;
    }

    static long narrow(int i) {
        byte b = bytes[i % bytes.length];
        char c = chars[i % chars.length];
        short s = shorts[i % shorts.length];
        return (byte) b * 3L + (char) b * 5L + (short) b * 7L + (b & 0xFF) * 11L + (char) (b & 0xFF) * 13L + (byte) (b & 0xFF) * 17L
            + (char) c * 19L + (byte) c * 23L + (short) c * 29L + (c & 0xFFFF) * 31L + (c & 0xFF) * 37L
            + (short) s * 41L + (char) s * 43L + (byte) s * 47L + (s & 0xFFFF) * 53L + (c & 0x7F & 0xFF) * 59L + (byte) (c & 0x7F) * 61L;
    }

    public static void main(String[] args) {
        for (int turn = 0; turn < 12; turn++) {
            for (int i = 0; i < INTS.length; i++)
                divideAll(i);
            for (int i = 0; i < LONGS.length; i++)
                divideAllLong(i);
            int x = turn;
            for (int k = 0; k < 500; k++, x = x * 1664525 + 1013904223)
                sum = product(x, k) + mask(x >> (k & 31)) + mask((long) x * x * x) + mask((long) x << (k & 31)) + narrow(k);
            System.out.println(sum);
        }
    }
}
