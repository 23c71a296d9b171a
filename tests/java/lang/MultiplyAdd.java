// SPDX-License-Identifier: Apache-2.0
// A product is rounded before it is added (JLS 15.17, 15.18), also where the processor has an instruction for both at once.
// @quick
public class MultiplyAdd {
    static double inLocals(double x, double y, double z) {
        double sum = z;
        sum = sum + x * y;
        return sum;
    }

    static double onStack(double x, double y, double z) {
        return z + x * y;
    }

    static double subtracted(double x, double y, double z) {
        return x * y - z;
    }

    static float floats(float x, float y, float z) {
        return z + x * y;
    }

    public static void main(String[] args) {
        double x = 1 + Math.scalb(1.0, -27);
        double rounded = x * x;
        System.out.println(inLocals(x, x, -rounded));
        System.out.println(onStack(x, x, -rounded));
        System.out.println(subtracted(x, x, rounded));
        System.out.println(Math.fma(x, x, -rounded));
        float f = 1 + Math.scalb(1.0f, -12);
        System.out.println(floats(f, f, -(f * f)));
    }
}
