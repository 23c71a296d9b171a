// SPDX-License-Identifier: Apache-2.0
// Methods and loops that are compiled, by the thread that runs them: calls of several shapes, native methods, exceptions that are caught,
// monitors, allocation, classes that are loaded and break what code was made for.
// @flags -Xbatch -XX:CompileThresholdScaling=0.02
import java.util.function.IntBinaryOperator;

public class Compile {
    interface Shape {
        double area(long scale);
    }

    record Square(int side) implements Shape {
        public double area(long scale) {
            return (double) side * side * scale;
        }
    }

    record Circle(float radius) implements Shape {
        public double area(long scale) {
            return radius * radius * scale;
        }
    }

    record Line(String name, byte length) implements Shape {
        public double area(long scale) {
            throw new IllegalStateException(name);
        }
    }

    static double areas(Shape[] shapes) {
        double sum = 0;
        for (Shape s : shapes) {
            try {
                sum += s.area(2);
            } catch (IllegalStateException e) {
                sum += e.getMessage().length();
            }
        }
        return sum;
    }

    static synchronized int locked(Object o, int n) {
        synchronized (o) {
            return n + 1;
        }
    }

    static int combine(IntBinaryOperator op, int n) {
        int x = 1;
        for (int i = 0; i < n; i++) {
            x = op.applyAsInt(x, i);
        }
        return x;
    }

    static long loop(int n) {
        long sum = 0;
        int[] a = new int[16];
        for (int i = 0; i < n; i++) {
            a[i & 15] += i;
            sum += a[(i + 7) & 15] + Long.bitCount(i);
        }
        return sum;
    }

    static int natives(Object o, int n) {
        int same = 0;
        for (int i = 0; i < n; i++) {
            same += o.getClass() == Object.class ? 1 : 0;
            same += System.identityHashCode(o) == o.hashCode() ? 1 : 0;
            same += Runtime.getRuntime().availableProcessors() > 0 ? 1 : 0;
        }
        return same;
    }

    public static void main(String[] args) {
        try {
            Shape[] shapes = new Shape[64];
            double sum = 0;
            for (int round = 0; round < 3; round++) { // each brings a class
                for (int i = 0; i < shapes.length; i++) {
                    int kind = i % (round + 1);
                    shapes[i] = kind == 0 ? new Square(i) : kind == 1 ? new Circle(i) : new Line("line" + i, (byte) i);
                }
                for (int i = 0; i < 50; i++) {
                    sum += areas(shapes);
                }
            }
            System.out.println("areas " + sum);
            int locks = 0;
            for (int i = 0; i < 500; i++) {
                locks = locked(shapes, locks);
            }
            System.out.println("locks " + locks);
            System.out.println("combined " + combine((a, b) -> a * 31 + b, 2000) + " " + combine(Math::max, 2000) + " " + combine(Integer::sum, 2000));
            System.out.println("loop " + loop(20000));
            System.out.println("natives " + natives(new Object(), 300));
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 300; i++) {
                text.append(i).append(String.valueOf(i * 3L));
            }
            System.out.println("text " + text.toString().hashCode());
        } catch (OutOfMemoryError e) {
            System.out.println("no memory: " + e.getMessage());
        }
    }
}
