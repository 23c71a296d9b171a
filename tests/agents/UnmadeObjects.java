// SPDX-License-Identifier: Apache-2.0
// Tools see objects that compiled code has not made: locals and `this` of its frames, also of a suspended thread, are these objects, each is
// there once, what a tool writes to one stays, walks through the heap find them. While allocations are sampled, or a field is watched, none is
// missing.
// @agent ti_unmade
// @javac -g
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions -XX:+JitSync -XX:CompileThresholdScaling=0.05 -XX:-DoEscapeAnalysis
// @modes asan stress
public class UnmadeObjects {
    static final int NOTHING = 0, READ = 1, WRITE = 2, FOLLOW = 3, ITERATE = 4, SAMPLE = 5, WATCH = 6, TRACE = 7, INSTANCE = 8, WAIT = 9;

    static native void begin(Class<?> point);
    static native int tool(int what);
    static native int counted(int what);
    static native void look(Thread t);

    static class Point {
        int x;
        Object next;
        Point(int x, Object next) {
            this.x = x;
            this.next = next;
        }
        int mine(int what) {
            x++;
            int r = tool(what);
            return x + r;
        }
    }

    static volatile boolean waits, there;

    static int work(int n, int what) {
        Point p = new Point(n, "text");
        Point q = new Point(n + 7, p);
        Point same = p;
        p.x *= 2;
        int r = tool(what);
        if (what == WAIT)
            while (waits)
                there = true;
        p.x += q.x * 10;
        return p.x + r + (same == p ? 1000000 : 0) + (q.next == p ? 2000000 : 0);
    }

    // p is made on some paths only, and is an object by the time that a tool looks.
    static Object kept;
    static int shown(int n, int what) {
        Point p = new Point(n, "text");
        Point q = new Point(n + 7, p);
        Point same = p;
        if (n % 3 == 0)
            return p.x + q.x;
        if (n % 4 == 1)
            kept = p;
        p.x *= 2;
        int r = tool(what);
        p.x += q.x * 10;
        return p.x + r + (same == p ? 1000000 : 0) + (q.next == p ? 2000000 : 0) + (kept == p ? 4000000 : 0);
    }

    static int instance(int n, int what) {
        return new Point(n, null).mine(what);
    }

    public static void main(String[] args) throws Exception {
        begin(Point.class);
        long sum = 0;
        for (int i = 0; i < 5000; i++)
            sum += work(i, NOTHING) + instance(i, NOTHING) + shown(i, NOTHING);
        System.out.println(sum);
        for (int what : new int[] {READ, WRITE, FOLLOW, ITERATE, TRACE}) {
            System.out.println("work " + what);
            System.out.println(work(3, what));
            for (int i = 0; i < 5000; i++)
                sum += work(i, NOTHING);
        }
        for (int what : new int[] {READ, WRITE, TRACE})
            for (int n : new int[] {5, 7}) {
                System.out.println("shown " + what + " " + n);
                System.out.println(shown(n, what));
                System.out.println(kept == null ? 0 : ((Point) kept).x);
                for (int i = 0; i < 5000; i++)
                    sum += shown(i, NOTHING);
            }
        System.out.println(instance(4, INSTANCE));
        waits = true;
        Thread t = new Thread(() -> System.out.println(work(20, WAIT)));
        t.start();
        while (!there)
            Thread.sleep(1);
        look(t);
        waits = false;
        t.join();
        work(1, SAMPLE);
        for (int i = 0; i < 100; i++)
            sum += work(i, NOTHING);
        int sampled = counted(SAMPLE); // HotSpot's buffers are not samplers yet
        System.out.println("sampled all: " + (sampled == 200 || (sampled == 0 && !System.getProperty("java.vm.name").startsWith("Pellucid"))));
        for (int i = 0; i < 5000; i++)
            sum += work(i, NOTHING);
        work(1, WATCH);
        for (int i = 0; i < 100; i++)
            sum += work(i, NOTHING);
        System.out.println("accessed " + counted(WATCH));
        System.out.println(sum);
    }
}
