// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * A program whose own methods are called a known number of times on every JVM. calltrace_test.py
 * has the numbers; a change here needs one there.
 */
public final class Calls {
    sealed interface Shape permits Circle, Square {
        long area();

        default long twice() {
            return 2 * area();
        }
    }

    record Circle(int radius) implements Shape {
        public long area() {
            return 3L * radius * radius;
        }
    }

    record Square(int side) implements Shape {
        public long area() {
            return (long) side * side;
        }
    }

    static final class Oops extends RuntimeException {
        Oops(int depth) {
            super("at " + depth, null, false, false);
        }
    }

    static final class Counter {
        private long n;

        synchronized void add(long by) {
            n += by;
        }

        synchronized long get() {
            return n;
        }
    }

    static int fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    static boolean even(int n) {
        return n == 0 || odd(n - 1);
    }

    static boolean odd(int n) {
        return n != 0 && even(n - 1);
    }

    static void sink(int depth) {
        if (depth == 0) {
            throw new Oops(depth);
        }
        sink(depth - 1);
    }

    static int caught(int times) {
        int count = 0;
        for (int i = 0; i < times; i++) {
            try {
                sink(9);
            } catch (Oops e) {
                count++;
            }
        }
        return count;
    }

    static int apply(IntUnaryOperator f, int times) {
        int x = 1;
        for (int i = 0; i < times; i++) {
            x = f.applyAsInt(x);
        }
        return x;
    }

    static int down(int n) {
        return n == 0 ? 0 : 1 + down(n - 1);
    }

    static void spin(long milliseconds) {
        long end = System.nanoTime() + milliseconds * 1_000_000;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    static void pause() throws InterruptedException {
        Thread.sleep(300);
    }

    static long shapes(int count) {
        List<Shape> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(i % 4 == 0 ? new Circle(i) : new Square(i));
        }
        long sum = 0;
        for (Shape shape : all) {
            sum += shape.twice();
        }
        return sum;
    }

    static void work(Counter counter, int rounds) {
        for (int i = 0; i < rounds; i++) {
            counter.add(i);
        }
    }

    static long threads(int count) throws InterruptedException {
        Counter counter = new Counter();
        List<Thread> started = new ArrayList<>();
        for (int t = 0; t < count; t++) {
            Thread thread = new Thread(() -> work(counter, 1000), "worker-" + t);
            thread.start();
            started.add(thread);
        }
        for (Thread thread : started) {
            thread.join();
        }
        return counter.get();
    }

    /** A thread that is still inside its call when the VM ends. */
    static void linger() {
        Thread daemon = new Thread(Calls::forever, "lingerer");
        daemon.setDaemon(true);
        daemon.start();
        while (!lingering) {
            Thread.onSpinWait();
        }
    }

    private static volatile boolean lingering;

    static void forever() {
        lingering = true;
        while (lingering) {
            Thread.onSpinWait();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int add = args.length + 3;
        System.out.println("fibonacci " + fibonacci(20));
        System.out.println("even " + even(100));
        System.out.println("caught " + caught(50));
        System.out.println("lambda " + apply(x -> x * 7 + add, 1000));
        System.out.println("down " + down(2000));
        System.out.println("shapes " + shapes(400));
        System.out.println("threads " + threads(300));
        spin(200);
        pause();
        linger();
    }
}
