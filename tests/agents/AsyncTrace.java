// SPDX-License-Identifier: Apache-2.0
// AsyncGetCallTrace from a signal handler, at any instruction of a program that calls, allocates, collects, throws and loads classes.
// By hand for longer: -Dasync.seconds=60. Only here: HotSpot gives a few traces with an index outside of its method.
// @only pellucid
// @agent asgct
// @flags -Xmx64m
// @timeout 60
import java.util.*;

public class AsyncTrace implements Runnable {
    static final int LONG = 2000;
    static volatile boolean over;
    static volatile int wrong, right;
    static volatile Object kept;

    static native void start();

    static native void join();

    static native boolean hasEnough();

    static native int[] stop();

    static int work(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i % 7 == 0 ? deep(i % 13) : new int[i % 50].length;
            if (i % 100 == 0) {
                kept = new StringBuilder("x").append(i).toString();
                try {
                    java.util.Objects.requireNonNull(null);
                } catch (NullPointerException e) {
                    sum++;
                }
            }
        }
        return sum;
    }

    static int deep(int n) {
        return n == 0 ? new int[1].length : deep(n - 1) + 1; // so that it is stopped there, too
    }

    static class Loader extends ClassLoader {
        static byte[] bytes;

        Class<?> make() throws Exception {
            if (bytes == null)
                bytes = AsyncTrace.class.getResourceAsStream("AsyncTrace$Loader.class").readAllBytes();
            return defineClass("AsyncTrace$Loader", bytes, 0, bytes.length);
        }
    }

    @Override
    public void run() {
        join();
        while (!over) {
            if (work(LONG) != right)
                wrong++;
        }
    }

    public static void main(String[] args) throws Exception {
        sample(Integer.getInteger("async.seconds", 3), t -> {
            System.gc();
            Thread.sleep(20);
        });
    }

    interface Act {
        void on(Thread t) throws Exception;

        default boolean isOver() { // when the time is, too
            return true;
        }
    }

    static void sample(int seconds, Act act) throws Exception {
        long nanos = seconds * 1_000_000_000L;
        int turns = 0;
        right = work(LONG);
        List<Thread> threads = new ArrayList<>();
        join();
        start();
        for (int i = 0; i < 3; i++) {
            Thread t = new Thread(new AsyncTrace());
            t.start();
            threads.add(t);
        }
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < nanos || !hasEnough() || !act.isOver()) {
            new Loader().make().getDeclaredMethods();
            act.on(threads.get(turns++ % threads.size()));
        }
        over = true;
        for (Thread t : threads)
            t.join();
        int[] counts = stop();
        System.err.println(counts[0] + " signals, " + counts[1] + " samples, " + counts[2] + " of the work");
        System.out.println(counts[1] > 100 ? "sampled" : "only " + counts[1] + " samples");
        System.out.println(counts[2] > 50 ? "the work is seen" : "the work is in only " + counts[2] + " of " + counts[1]);
        System.out.println(counts[3] + " wrong traces, " + wrong + " wrong sums");
    }
}
