// SPDX-License-Identifier: Apache-2.0
// Two environments suspend one thread, read and write its locals, pop its youngest frame and resume it, both at once: what they
// read is what the program has there, and since each method can be called again with the same result, its results are right.
// @agent ti_two_holders
// @only pellucid
// @javac -g
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions -XX:+JitAll
// @quick
// @timeout 120
// @modes asan stress
public class TwoHolders {
    static final Object lock = new Object();
    static final int TURNS = 50, RIGHT = Worker.work(1, 2, 3, 4, 5, 7);
    static volatile boolean stop, wrong;
    static volatile long works;

    static native int hold(Thread t, int rounds, int me);

    static class Worker extends Thread {
        public void run() {
            while (!stop) {
                check(work(1, 2, 3, 4, 5, 7));
                works = works + 1;
            }
        }
        static void check(int result) {
            if (result != RIGHT)
                wrong = true;
        }
        static int work(int a, long b, long c, long d, long e, int mark) { // mark: slot 9, turn: 10
            int turn = 0, sum = a;
            for (; turn < TURNS; turn++)
                sum = sum * 31 + (turn % 5 == 0 ? locked(turn, b) : leaf(turn, c)) + (int) (d ^ e);
            return isMark(mark) ? sum : -1;
        }
        static boolean isMark(int mark) { // the holders may write it between two reads
            return mark == 7 || mark == 11 || mark == 13;
        }
        static int leaf(int turn, long c) {
            int[] both = {turn, (int) c};
            return both[0] * 7 ^ both[1];
        }
        static int locked(int turn, long b) {
            synchronized (lock) {
                return leaf(turn, b) + 1;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int[] failures = new int[2];
        Worker w = new Worker();
        w.start();
        while (works < 100)
            Thread.sleep(1);
        Thread[] holders = new Thread[2];
        for (int i = 0; i < 2; i++) {
            int me = i;
            holders[i] = new Thread(() -> failures[me] = hold(w, 1000, me));
            holders[i].start();
        }
        for (Thread t : holders)
            t.join();
        long before = works;
        while (works < before + 100) // it goes on
            Thread.sleep(1);
        stop = true;
        w.join();
        synchronized (lock) { // popped frames have let go of it
            System.out.println("wrong: " + failures[0] + " " + failures[1] + ", results " + (wrong ? "wrong" : "right"));
        }
    }
}
