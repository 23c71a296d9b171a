// SPDX-License-Identifier: Apache-2.0
// Integer and long arithmetic, shifts, overflow, division by zero, comparisons.
// @quick
public class IntArith {
    static final int[] I = {0, 1, -1, 2, 7, -7, 31, 32, 33, 63, 64, 255, 65536, 0x7fffffff, 0x80000000, 0x55555555};
    static final long[] L = {0, 1, -1, 3, -5, 31, 32, 63, 64, 65, 1L << 31, 1L << 32, -(1L << 32), Long.MAX_VALUE,
        Long.MIN_VALUE, 0x123456789abcdefL};

    static String div(int a, int b) {
        try {
            return (a / b) + "," + (a % b);
        } catch (ArithmeticException e) {
            return e.getMessage();
        }
    }

    static String div(long a, long b) {
        try {
            return (a / b) + "," + (a % b);
        } catch (ArithmeticException e) {
            return e.getMessage();
        }
    }

    public static void main(String[] args) {
        int h = 0;
        for (int a : I) {
            StringBuilder sb = new StringBuilder();
            for (int b : I) {
                sb.append(div(a, b)).append(' ');
                int r = (a + b) * 31 ^ (a - b) ^ a * b ^ (a << b) ^ (a >> b) ^ (a >>> b) ^ (a & b) ^ (a | b) ^ ~a ^ -b;
                h = h * 17 + r + (a < b ? 1 : 0) + (a <= b ? 2 : 0) + (a > b ? 4 : 0) + (a >= b ? 8 : 0)
                    + (a == b ? 16 : 0) + (a != b ? 32 : 0);
            }
            System.out.println(a + ": " + sb + h);
        }
        long g = 0;
        for (long a : L) {
            StringBuilder sb = new StringBuilder();
            for (long b : L) {
                sb.append(div(a, b)).append(' ');
                long r = (a + b) * 31 ^ (a - b) ^ a * b ^ (a << b) ^ (a >> b) ^ (a >>> b) ^ (a & b) ^ (a | b) ^ ~a ^ -b;
                g = g * 17 + r + (a < b ? 1 : 0) + (a <= b ? 2 : 0) + (a > b ? 4 : 0) + (a >= b ? 8 : 0)
                    + (a == b ? 16 : 0) + (a != b ? 32 : 0);
            }
            System.out.println(a + ": " + sb + g);
        }
        long sh = -1;
        int by = 65;
        System.out.println((sh << by) + " " + (sh >> by) + " " + (sh >>> by) + " " + (1 << 33) + " " + (-1 >>> 33));
        byte b = (byte) 200;
        b += 100;
        b++;
        short s = (short) 40000;
        s >>>= 1;
        char c = 'a';
        c += 65530;
        c--;
        int i = 10;
        i = i++ + ++i;
        System.out.println(b + " " + s + " " + (int) c + " " + i);
        int acc = 0;
        for (int k = 0; k < 300; k++) {
            acc += 1000;
            acc -= 129;
        }
        System.out.println(acc);
        System.out.println(Integer.MIN_VALUE / -1 + " " + Long.MIN_VALUE / -1 + " " + Math.abs(Integer.MIN_VALUE));
        boolean x = true;
        boolean y = false;
        System.out.println((x & y) + " " + (x | y) + " " + (x ^ y) + " " + !x);
        System.out.println(Long.compare(1L << 40, 1) + " " + Integer.bitCount(0x55555555) + " "
            + Long.numberOfTrailingZeros(1L << 45) + " " + Integer.reverse(1) + " " + Long.reverseBytes(0x0102030405060708L)
            + " " + Math.multiplyHigh(Long.MAX_VALUE, 12345L) + " " + Integer.toUnsignedString(-1) + " "
            + Long.divideUnsigned(-1L, 10));
        try {
            Math.addExact(Integer.MAX_VALUE, 1);
        } catch (ArithmeticException e) {
            System.out.println(e);
        }
    }
}
