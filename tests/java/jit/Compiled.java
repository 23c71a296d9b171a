// SPDX-License-Identifier: Apache-2.0
// Methods that are compiled early call each other in every way, with arguments of all kinds in registers and on the stack, allocate,
// lock, throw through compiled frames, and leave to the interpreter in the middle. What they print is as on HotSpot. The compiler
// checks its registers; a collection at small heaps finds references in slots and registers.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05 -Xmx16m
// @modes asan stress
// @timeout 180
import java.util.ArrayList;
import java.util.List;

public class Compiled {
    interface Shape {
        double area(int scale);
    }
    static class Square implements Shape {
        final double side;
        Square(double side) { this.side = side; }
        public double area(int scale) { return side * side * scale; }
    }
    static class Half extends Square {
        Half(double side) { super(side); }
        @Override public double area(int scale) { return super.area(scale) / 2; }
    }
    static class Circle implements Shape {
        public double area(int scale) { return 3 * scale; }
    }

    static int locked;
    int own;

    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static long many(int a, long b, double c, float d, int e, Object f, int g, int h, long i, Object j, double k, float l, int m,
        double n, double o, double p, double q, double r, double s, String t) {
        return a + 3 * b + (long) (c * 5) + (long) (d * 7) + e * 11 + f.hashCode() % 13 + g * 17 + h * 19 + i * 23 + j.hashCode() % 29
            + (long) (k * 31) + (long) (l * 37) + m * 41 + (long) (n + o * 2 + p * 3 + q * 4 + r * 5 + s * 6) + t.length();
    }

    static double areas(Shape[] shapes, int turns) {
        double sum = 0;
        for (int i = 0; i < turns; i++)
            sum += shapes[i % shapes.length].area(i & 7);
        return sum;
    }

    static Object[] allocate(int turns) {
        Object[] kept = new Object[64];
        for (int i = 0; i < turns; i++) {
            long[] numbers = new long[i & 127];
            if (numbers.length > 3)
                numbers[3] = i;
            kept[i & 63] = i % 3 == 0 ? numbers : i % 3 == 1 ? new Square(i) : kept;
        }
        return kept;
    }

    static synchronized void lockClass(int k) { locked += k; }
    synchronized int lockThis(int k) { return own += k; }
    int lockBlocks(Object other, int k) {
        synchronized (other) {
            synchronized (this) {
                own ^= k;
                if (k % 1000 == 999)
                    throw new IllegalStateException("locked " + Thread.holdsLock(other) + Thread.holdsLock(this));
            }
            return own;
        }
    }

    static int deep(int n, int[] array) {
        if (n == 0)
            return array[array.length];
        return deep(n - 1, array) + 1;
    }

    static String thrown(int n) {
        try {
            deep(n, new int[n & 3]);
            return "nothing";
        } catch (ArrayIndexOutOfBoundsException e) {
            int frames = 0;
            for (StackTraceElement f : e.getStackTrace())
                frames += f.getMethodName().equals("deep") ? 1 : 0;
            return e.getMessage() + ", " + frames + " frames";
        }
    }

    static long checks(Object[] objects, int turns) {
        long sum = 0;
        for (int i = 0; i < turns; i++) {
            Object o = objects[i % objects.length];
            if (o instanceof Shape)
                sum += 3;
            if (o instanceof Half)
                sum += 5;
            if (o instanceof int[])
                sum += ((int[]) o).length;
            if (o instanceof CharSequence)
                sum += ((CharSequence) o).length();
        }
        return sum;
    }

    static int overflow(int n) { return overflow(n + 1) + 1; }

    public static void main(String[] args) throws Exception {
        Compiled c = new Compiled();
        Shape[] shapes = {new Square(2), new Half(3), new Circle()};
        Object[] objects = {shapes[0], shapes[1], new int[7], "text", null, new StringBuilder("ab"), new Object[1]};
        List<String> told = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            long sum = many(i, i * 5L, i * 0.5, i * 0.25f, -i, 7, i + 1, i + 2, -i * 9L, 'x', i * 1.5, 0.5f, i, 1, 2, 3, 4, 5, i, "t" + i % 10);
            if (i % 500 == 0)
                told.add(i + ": " + sum + " " + thrown(i % 47));
        }
        told.add("fib " + fib(20) + ", areas " + areas(shapes, 50000) + ", kept " + ((Square) allocate(40000)[63 & 40000 / 64 * 0 + 1]).side);
        told.add("checks " + checks(objects, 50000));
        Thread[] threads = new Thread[3];
        int[] failures = new int[threads.length];
        for (int t = 0; t < threads.length; t++) {
            int number = t;
            threads[t] = new Thread(() -> {
                for (int i = 0; i < 5000; i++) {
                    lockClass(1);
                    c.lockThis(1);
                    try {
                        c.lockBlocks(told, i);
                    } catch (IllegalStateException e) {
                        if (e.getMessage().equals("locked truetrue"))
                            failures[number]++;
                    }
                }
            });
            threads[t].start();
        }
        for (Thread t : threads)
            t.join();
        told.add("locked " + locked + " " + failures[0] + failures[1] + failures[2] + " " + Thread.holdsLock(told));
        try {
            overflow(0);
        } catch (StackOverflowError e) {
            told.add("overflow");
        }
        told.forEach(System.out::println);
    }
}
