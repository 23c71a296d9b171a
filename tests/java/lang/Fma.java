// SPDX-License-Identifier: Apache-2.0
// @quick
// Math.fma: one rounding of the exact result, for the special values in every combination, where the product or the sum
// overflows, is subnormal or half way between two values; and against BigDecimal.
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.math.BigDecimal;
import java.util.Random;

public class Fma {
    static final double[] DOUBLES = {0.0, -0.0, 1, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE,
        -Double.MIN_VALUE, Double.MIN_NORMAL, Math.nextDown(Double.MIN_NORMAL), Double.MAX_VALUE, -Double.MAX_VALUE, Math.ulp(1.0),
        1 + Math.ulp(1.0), -1 - Math.ulp(1.0), 0x1p-53, 0x1.0000001p-1, 0x1p-537, 0x1.8p-538, 0x1p512, 3.3};
    static final float[] FLOATS = {0.0f, -0.0f, 1, -1, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MIN_VALUE,
        -Float.MIN_VALUE, Float.MIN_NORMAL, Math.nextDown(Float.MIN_NORMAL), Float.MAX_VALUE, -Float.MAX_VALUE, Math.ulp(1.0f),
        1 + Math.ulp(1.0f), -1 - Math.ulp(1.0f), 0x1p-24f, 0x1.002p-1f, 0x1p-75f, 0x1.8p-76f, 0x1p64f, 3.3f};

    static void specials() {
        long sum = 0;
        for (double a : DOUBLES)
            for (double b : DOUBLES) {
                StringBuilder line = new StringBuilder();
                for (double c : DOUBLES) {
                    double r = Math.fma(a, b, c);
                    line.append(' ').append(r);
                    sum = sum * 31 + Double.doubleToLongBits(r);
                    sum += Double.doubleToLongBits(r) == Double.doubleToLongBits(StrictMath.fma(a, b, c)) ? 0 : 1;
                }
                System.out.println(a + " * " + b + line);
            }
        for (float a : FLOATS)
            for (float b : FLOATS)
                for (float c : FLOATS)
                    sum = sum * 31 + Float.floatToIntBits(Math.fma(a, b, c));
        System.out.println(sum);
    }

    static double exact(double a, double b, double c) {
        BigDecimal r = new BigDecimal(a).multiply(new BigDecimal(b)).add(new BigDecimal(c));
        return r.signum() == 0 ? a * b + c : r.doubleValue();
    }

    static float exact(float a, float b, float c) {
        BigDecimal r = new BigDecimal(a).multiply(new BigDecimal(b)).add(new BigDecimal(c));
        return r.signum() == 0 ? a * b + c : r.floatValue();
    }

    // What each rounding of its own would get wrong: c cancels the product, or is half an ulp of it.
    static void against() {
        Random random = new Random(5);
        int wrong = 0, rounded = 0;
        for (int i = 0; i < 400; i++) {
            double a = Math.scalb(1 + random.nextDouble(), random.nextInt(60) - 30), b = 1 + random.nextDouble();
            if (i % 4 == 0) {
                a = Math.scalb(a, -550);
                b = Math.scalb(b, -500 - random.nextInt(40));
            }
            double product = a * b;
            double c = i % 2 == 0 ? -product : Math.ulp(product) * (random.nextInt(9) - 4) / 2;
            double r = Math.fma(a, b, c);
            wrong += r == exact(a, b, c) ? 0 : 1;
            rounded += r == product + c ? 0 : 1;
            float x = (float) (1 + random.nextDouble()), y = Math.scalb((float) b, i % 4 == 0 ? 430 - random.nextInt(20) : 0);
            float z = i % 2 == 0 ? -(x * y) : Math.ulp(x * y) / 2;
            float s = Math.fma(x, y, z);
            wrong += s == exact(x, y, z) ? 0 : 1;
        }
        System.out.println(wrong + " wrong, " + (rounded > 100));
    }

    public static void main(String[] args) throws Throwable {
        specials();
        against();
        var lookup = MethodHandles.lookup();
        var three = MethodType.methodType(double.class, double.class, double.class, double.class);
        System.out.println((double) lookup.findStatic(Math.class, "fma", three).invokeExact(0x1.0000001p0, 0x1.0000001p0, -1.0));
        System.out.println(Math.class.getMethod("fma", float.class, float.class, float.class).invoke(null, 0x1.002p0f, 0x1.002p0f, -1f));
        long start = System.nanoTime();
        double d = 0;
        for (int i = 0; i < 200_000; i++)
            d = Math.fma(d, 0.99, i);
        System.out.println(d + " " + (System.nanoTime() - start < 10_000_000_000L));
    }
}
