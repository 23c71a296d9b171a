// SPDX-License-Identifier: Apache-2.0
// Comparisons whose answer is kept as 0 or 1, of all kinds and conditions; branches that choose nothing.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05
// @modes asan stress
public class Choices {
    static final int[] INTS = {0, 1, -1, 2, 7, Integer.MAX_VALUE, Integer.MIN_VALUE};
    static final long[] LONGS = {0, 1, -1, 7, 1L << 32, -1L << 32, (1L << 32) + 1, Long.MAX_VALUE, Long.MIN_VALUE};
    static final double[] DOUBLES = {0.0, -0.0, 1.5, -1.5, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE};
    static final Object[] OBJECTS = {null, "a", new Object[0], 5};
    static boolean kept;

    static int ints(int x, int y) {
        boolean eq = x == y, ne = x != y, lt = x < y, ge = x >= y, gt = x > y, le = x <= y;
        int r = (eq ? 1 : 0) + (ne ? 2 : 0) + (lt ? 4 : 0) + (ge ? 8 : 0) + (gt ? 16 : 0) + (le ? 32 : 0);
        kept = x < 7;
        return r + (x == 0 ? 1 : 0) * 64 + (x < 0 ? 0 : 1) * 128 + (y > 1 ? 1 : 0) * 256 + (kept ? 512 : 0);
    }

    static int longs(long x, long y) {
        int r = (x == y ? 1 : 0) + (x != y ? 1 : 0) * 2 + (x < y ? 1 : 0) * 4 + (x >= y ? 1 : 0) * 8 + (x > y ? 1 : 0) * 16 + (x <= y ? 1 : 0) * 32;
        return r + (x < 0 ? 1 : 0) * 64 + (y == 7 ? 0 : 1) * 128 + (Long.compare(x, y) < 0 ? 1 : 0) * 256 + (Long.compareUnsigned(x, y) > 0 ? 512 : 0);
    }

    static int doubles(double x, double y) {
        float f = (float) x, g = (float) y;
        int r = (x == y ? 1 : 0) + (x != y ? 1 : 0) * 2 + (x < y ? 1 : 0) * 4 + (x >= y ? 1 : 0) * 8 + (x > y ? 1 : 0) * 16 + (x <= y ? 1 : 0) * 32;
        return r + (f == g ? 1 : 0) * 64 + (f != g ? 1 : 0) * 128 + (f < g ? 1 : 0) * 256 + (f >= g ? 1 : 0) * 512 + (!(f > g) ? 1 : 0) * 1024
            + (!(f <= g) ? 1 : 0) * 2048 + (x != x ? 4096 : 0);
    }

    static int objects(Object x, Object y) {
        boolean same = x == y, none = x == null, text = x instanceof String, array = y instanceof Object[];
        return (same ? 1 : 0) + (none ? 2 : 0) + (text ? 4 : 0) + (array ? 8 : 0) + (y != null ? 1 : 0) * 16 + (!(x instanceof Integer) ? 1 : 0) * 32;
    }

    static boolean both(int x, long y) {
        return x > 0 && y < 7;
    }

    static boolean either(int x, long y) {
        return x > 0 || y < 7;
    }

    static boolean mixed(int x, long y, Object o) {
        return x > 0 == y < 7 ^ (o == null || x < y) & (o != "a" || x != 1);
    }

    static boolean nested(int x, int y) {
        return x < y ? y < 3 ? x > -2 : x == y : y < 0;
    }

    // As the digits of a product are subtracted: a carry that nobody can foresee.
    static long carry(int[] a, int[] b, int n) {
        long carry = 0;
        for (int i = n - 1; i >= 0; i--) {
            long p = (b[i] & 0xFFFFFFFFL) * 0x9E3779B9L + carry, d = a[i] - p;
            a[i] = (int) d;
            carry = (p >>> 32) + ((d & 0xFFFFFFFFL) > (~(int) p & 0xFFFFFFFFL) ? 1 : 0);
        }
        return carry;
    }

    static int nothing(int x) {
        int r = x * 3;
        if (x > 5) {
        }
        if (x == 1 ? kept : kept)
            r++;
        return r + (x > 2 ? 1 : 1);
    }

    static int more(int x, int y) {
        int a, b;
        if (x < y) {
            a = 1;
            b = 0;
        } else {
            a = 0;
            b = 1;
        }
        int c = x < y ? 1 : y;
        return a * 100 + b * 10 + c;
    }

    static int loop(int n) {
        int count = 0;
        for (int i = 0, odd = 0; i < n; i++, odd = i % 2 == 1 ? 1 : 0)
            count += odd;
        return count;
    }

    public static void main(String[] args) {
        long sum = 0;
        int[] a = new int[40], b = new int[40];
        for (int turn = 0; turn < 200; turn++) {
            for (int x : INTS)
                for (int y : INTS)
                    sum = sum * 31 + ints(x, y) + nothing(x) + more(x, y) + (nested(x, y) ? 5 : 3);
            for (long x : LONGS)
                for (long y : LONGS)
                    sum = sum * 31 + longs(x, y) + (both((int) x, y) ? 1 : 0) + (either((int) x, y) ? 2 : 0) + (mixed((int) x, y, OBJECTS[turn % 4]) ? 4 : 0);
            for (double x : DOUBLES)
                for (double y : DOUBLES)
                    sum = sum * 31 + doubles(x, y);
            for (Object x : OBJECTS)
                for (Object y : OBJECTS)
                    sum = sum * 31 + objects(x, y);
            for (int i = 0; i < a.length; i++)
                b[i] = (int) (sum * (i + 3) >>> 7);
            sum = sum * 31 + carry(a, b, a.length) + loop(turn);
            if (turn % 20 == 0)
                System.out.println(sum);
        }
        System.out.println(sum + " " + java.util.Arrays.hashCode(a));
        for (int x : INTS)
            for (int y : INTS)
                System.out.print(ints(x, y) + " " + nothing(x) + " " + more(x, y) + " " + nested(x, y) + "; ");
        System.out.println();
    }
}
