// SPDX-License-Identifier: Apache-2.0
// Receivers of one class alone, or of two, for so long that code is made that knows no other; then others come, once, now and then, or all the
// time: in loops, in inlined methods, with results that are kept, with exceptions.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:ProfileThreshold=1 -XX:CompileThresholdScaling=0.2
// @quick
import java.util.function.IntSupplier;

public class LateReceivers {
    interface Shape {
        int area(int x);
        default Shape next() { return this; }
    }
    static class Square implements Shape {
        public int area(int x) { return x * x; }
    }
    static class Line implements Shape {
        int length = 3;
        public int area(int x) { return length++; }
    }
    static class Broken implements Shape {
        public int area(int x) {
            if (x % 3 == 0)
                throw new IllegalStateException("broken " + x);
            return -x;
        }
        public Shape next() { return new Line(); }
    }

    static int once(Shape s, int x) {
        int before = x * 3;
        return s.area(x) + before;
    }

    static int chained(Shape s, int x) {
        return s.next().next().area(x) + s.area(x + 1);
    }

    static int loop(Shape[] shapes, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            try {
                sum = sum * 31 + shapes[i % shapes.length].area(i);
            } catch (IllegalStateException e) {
                sum += e.getMessage().length();
            }
        }
        return sum;
    }

    static int pushed(Shape s, int a, int b) { // operands below the call
        return a * s.area(b) + (b - s.area(a)) * a;
    }

    static void show(String name, IntSupplier what) {
        try {
            System.out.println(name + " " + what.getAsInt());
        } catch (IllegalStateException e) {
            System.out.println(name + " " + e.getMessage() + " in " + e.getStackTrace()[1].getMethodName());
        }
    }

    public static void main(String[] args) {
        Square square = new Square();
        Line line = new Line();
        Broken broken = new Broken();
        Shape[] one = {square}, two = {square, line}, three = {square, line, broken};
        int sum = 0;
        for (int i = 0; i < 2000; i++)
            sum += once(square, i) + chained(square, i) + loop(one, 5) + pushed(square, i, i + 1);
        System.out.println(sum);
        show("once", () -> once(line, 5));
        show("chained", () -> chained(broken, 4));
        show("loop", () -> loop(two, 1000));
        show("pushed", () -> pushed(line, 7, 8));
        for (int i = 0; i < 2000; i++)
            sum += once(i % 100 == 0 ? line : square, i) + chained(square, i) + loop(two, 5) + pushed(i % 7 == 0 ? line : square, i, i + 1);
        System.out.println(sum);
        show("broken", () -> once(broken, 9));
        show("chained", () -> chained(line, 4));
        show("three", () -> loop(three, 3000));
        show("pushed", () -> pushed(broken, 6, 7));
        for (int i = 0; i < 3000; i++)
            sum += once(three[i % 3 == 2 && i % 9 != 0 ? 1 : i % 3 % 2], i) + loop(three, 7) + pushed(two[i & 1], i, i + 1);
        System.out.println(sum + " " + line.length);
    }
}
