// SPDX-License-Identifier: Apache-2.0
// A program whose coverage JaCoCo reports.
import java.util.List;
import java.util.function.IntUnaryOperator;

interface Shape {
    int area();

    default String kind() {
        return area() > 20 ? "large" : "small";
    }
}

record Box(int w, int h) implements Shape {
    public int area() {
        return w * h;
    }
}

enum Color { RED, GREEN, BLUE }

public class Shapes {
    static int classify(String s) {
        switch (s) {
        case "a": return 1;
        case "b": return 2;
        default: return s.length() > 3 ? 3 : 4;
        }
    }

    static int guarded(int x) {
        try {
            if (x > 2)
                throw new IllegalStateException("x");
            return x;
        } catch (IllegalStateException e) {
            return -1;
        } finally {
            classify("a");
        }
    }

    static void never() {
        System.out.println("not reached");
    }

    static synchronized long loops(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++)
            for (int j = i; j > 0; j -= 2)
                sum += i * j;
        return sum;
    }

    public static void main(String[] args) throws Exception {
        IntUnaryOperator twice = x -> x * 2, unused = x -> x + 1;
        for (Shape s : List.of(new Box(2, 3), new Box(9, 9), (Shape) () -> 21))
            System.out.println(s.area() + " " + s.kind());
        System.out.println(classify("b") + classify("long") + guarded(1) + guarded(3) + twice.applyAsInt(4) + loops(30));
        for (Color c : Color.values())
            if (c != Color.GREEN)
                System.out.println(c);
        Thread t = new Thread(() -> System.out.println(guarded(7)));
        t.start();
        t.join();
    }
}
