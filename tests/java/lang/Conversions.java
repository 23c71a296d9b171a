// SPDX-License-Identifier: Apache-2.0
// Every primitive conversion, with the saturating ones at their edges.
// @quick
public class Conversions {
    public static void main(String[] args) {
        double[] ds = {0, -0.0, 0.9999, -0.9999, 1.5, -1.5, 2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0,
            9.223372036854775e18, 9.3e18, -9.3e18, 1e300, -1e300, Double.NaN, Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY, Double.MIN_VALUE, 16777217.0, 3.4028235677973366e38};
        for (double d : ds) {
            float f = (float) d;
            System.out.println(d + " i" + (int) d + " l" + (long) d + " f" + f + " b" + (byte) d + " s" + (short) d + " c"
                + (int) (char) d + " fi" + (int) f + " fl" + (long) f + " fd" + (double) f);
        }
        long[] ls = {0, -1, 127, 128, 255, 256, 32768, 65535, 65536, 1L << 31, (1L << 53) + 1, (1L << 24) + 1, Long.MAX_VALUE,
            Long.MIN_VALUE, 0x123456789abcdef0L};
        for (long l : ls) {
            int i = (int) l;
            System.out.println(l + " i" + i + " f" + (float) l + " d" + (double) l + " b" + (byte) i + " s" + (short) i + " c"
                + (int) (char) i + " if" + (float) i + " id" + (double) i + " il" + (long) i);
        }
        Object[] boxes = {(byte) 1, (short) 2, 'c', 4, 5L, 6f, 7d, true};
        for (Object o : boxes) {
            System.out.println(o.getClass().getName() + " " + o + " " + o.hashCode());
        }
        Integer a = 127;
        Integer b = 127;
        System.out.println(a == b);
        char c = 'x';
        int sum = c + (byte) 300 + (short) 70000;
        System.out.println(sum);
        Integer n = null;
        try {
            int x = n;
            System.out.println(x);
        } catch (NullPointerException e) {
            System.out.println("NPE");
        }
    }
}
