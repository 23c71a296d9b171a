// SPDX-License-Identifier: Apache-2.0
// Float and double arithmetic: NaN, infinities, signed zero, remainder, comparisons both ways.
// @quick
public class FloatArith {
    static final double[] D = {0.0, -0.0, 1, -1, 0.1, 1e-310, Double.MIN_VALUE, Double.MAX_VALUE, Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY, Double.NaN, 3.5, -7.25, 1e20};
    static final float[] F = {0f, -0f, 1f, -1f, 0.1f, 1e-40f, Float.MIN_VALUE, Float.MAX_VALUE, Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY, Float.NaN, 3.5f, -7.25f, 1e20f};

    static String cmp(double a, double b) {
        return (a < b ? "<" : "") + (a <= b ? "l" : "") + (a > b ? ">" : "") + (a >= b ? "g" : "") + (a == b ? "=" : "")
            + (a != b ? "!" : "") + (!(a < b) ? "n" : "") + (!(a > b) ? "m" : "");
    }

    static String cmp(float a, float b) {
        return (a < b ? "<" : "") + (a <= b ? "l" : "") + (a > b ? ">" : "") + (a >= b ? "g" : "") + (a == b ? "=" : "")
            + (a != b ? "!" : "") + (!(a < b) ? "n" : "") + (!(a > b) ? "m" : "");
    }

    public static void main(String[] args) {
        for (double a : D) {
            StringBuilder sb = new StringBuilder();
            long h = 0;
            for (double b : D) {
                sb.append(cmp(a, b)).append(' ').append(a % b).append(' ');
                h = h * 31 + Double.doubleToLongBits(a + b) + Double.doubleToLongBits(a - b) * 3
                    + Double.doubleToLongBits(a * b) * 5 + Double.doubleToLongBits(a / b) * 7;
            }
            System.out.println(a + " " + -a + ": " + sb + h);
        }
        for (float a : F) {
            StringBuilder sb = new StringBuilder();
            int h = 0;
            for (float b : F) {
                sb.append(cmp(a, b)).append(' ').append(a % b).append(' ');
                h = h * 31 + Float.floatToIntBits(a + b) + Float.floatToIntBits(a - b) * 3
                    + Float.floatToIntBits(a * b) * 5 + Float.floatToIntBits(a / b) * 7;
            }
            System.out.println(a + " " + -a + ": " + sb + h);
        }
        double s = 0;
        for (int i = 1; i < 200; i++) {
            s += Math.sin(i) * Math.cos(i) / Math.sqrt(i) + Math.pow(1.01, i) - Math.log(i) + Math.exp(-i) + Math.tan(i * 0.01)
                + Math.atan2(i, 3) + Math.cbrt(i) + Math.hypot(i, 2) + Math.log10(i);
        }
        System.out.println((float) s);
        double t = StrictMath.sin(1e10) + StrictMath.exp(1.5) + StrictMath.log(7) + StrictMath.pow(3, 0.3);
        System.out.println(t);
        System.out.println(Math.fma(1.1, 2.2, -2.42) + " " + Math.round(-2.5) + " " + Math.rint(2.5) + " " + Math.floor(-0.5)
            + " " + Math.ceil(-0.5) + " " + Math.ulp(1.0) + " " + Math.nextUp(0f) + " " + Math.scalb(1.5, -1070));
        System.out.println(Double.toHexString(0.1) + " " + Double.parseDouble("0x1.8p3") + " " + Double.valueOf("1e-400"));
        System.out.println(Double.longBitsToDouble(0x7ff8000000000001L) + " "
            + Long.toHexString(Double.doubleToRawLongBits(Double.longBitsToDouble(0x7ff8000000000001L))) + " "
            + Integer.toHexString(Float.floatToRawIntBits(Float.intBitsToFloat(0x7fc00123))));
        float ff = 1;
        ff += 0.1;
        int in = 5;
        in *= 1.5;
        System.out.println(ff + " " + in + " " + (ff > 1 ? 1 : 2.0));
    }
}
