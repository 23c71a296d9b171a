// SPDX-License-Identifier: Apache-2.0
// Events switched on and off for single threads by many threads at once: each is told of all its own while they are on.
// @agent ti_switching
// @quick
public class Switching {
    // Tells of the exits of `probe` in the current thread, or no longer; gives how many there were.
    static native void begin();

    static native int end();

    static int probe(int i) {
        return i + 1;
    }

    static void work() {
        int wrong = 0;
        for (int round = 0; round < 5000; round++) {
            begin();
            int n = 0;
            while (n < 10)
                n = probe(n);
            wrong += end() == 10 ? 0 : 1;
            probe(n);
        }
        if (wrong > 0)
            System.out.println(wrong + " rounds with too few or too many events");
    }

    // Threads that end with their events on.
    static void endings() {
        try {
            for (int i = 0; i < 600; i++) {
                Thread t = new Thread(Switching::begin);
                t.start();
                t.join();
            }
        } catch (InterruptedException e) {
            System.out.println("interrupted");
        }
    }

    public static void main(String[] args) throws Exception {
        Runnable[] bodies = {Switching::work, Switching::endings, Switching::work, Switching::endings};
        for (int round = 0; round < 5; round++) {
            Thread[] threads = new Thread[bodies.length];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread(bodies[i]);
                threads[i].start();
            }
            for (Thread t : threads)
                t.join();
        }
        System.out.println("done");
    }
}
