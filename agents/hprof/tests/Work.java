// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;

/** A program whose calls, objects and contention are known: see tests/agents/hprof_test.py. */
public class Work {
    static final Object lock = new Object(), held = new StringBuilder();
    static final List<Object> keep = new ArrayList<>();
    static int counter = 41;

    static long fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void fill(int n) {
        for (int i = 0; i < n; i++) {
            keep.add(new long[i % 10]);
            if (new StringBuilder("gone").length() < 0)
                return;
        }
    }

    static void contend(int times) {
        for (int k = 0; k < times; k++) {
            synchronized (lock) {
                try {
                    Thread.sleep(2);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    static void enterHeld() {
        synchronized (held) {
            counter++;
        }
    }

    /** Comes back when t waits for a lock that the caller has. */
    static void startBlocked(Thread t) throws InterruptedException {
        t.start();
        while (t.getState() != Thread.State.BLOCKED)
            Thread.sleep(1);
    }

    /** Another thread waits for the lock for HELD_MILLIS of hprof_test.py at least, once. */
    static void hold() throws Exception {
        Thread t = new Thread(Work::enterHeld, "waits");
        synchronized (held) {
            startBlocked(t);
            Thread.sleep(100);
        }
        t.join();
        counter--;
    }

    static void sleepForEver() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            counter--;
        }
    }

    /** Comes back when a daemon sleeps; it does until the program ends. */
    static void startSleeper() throws InterruptedException {
        Thread t = new Thread(Work::sleepForEver, "sleeps");
        t.setDaemon(true);
        t.start();
        while (t.getState() != Thread.State.TIMED_WAITING)
            Thread.sleep(1);
    }

    static long spin(long millis) {
        long sum = 0;
        for (long end = System.currentTimeMillis() + millis; System.currentTimeMillis() < end;)
            for (int i = 0; i < 1000; i++)
                sum += i * sum;
        return sum;
    }

    public static void main(String[] args) throws Exception {
        fill(1000);
        Thread[] threads = new Thread[2];
        synchronized (lock) { // until each worker has waited for it
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread(() -> contend(20), "worker-" + i);
                startBlocked(threads[i]);
            }
        }
        System.out.println(fib(20));
        for (Thread t : threads)
            t.join();
        hold();
        startSleeper();
        if (args.length > 0) // and for twice as long as all before, which takes its time on a loaded machine
            spin(Math.max(Long.parseLong(args[0]), 2 * (System.currentTimeMillis() - started)));
    }

    static final long started = System.currentTimeMillis(); // below what has its line numbers in hprof_test.py
}
