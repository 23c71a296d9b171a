// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.CyclicBarrier;

/** Calls of threads that live and that have ended, in two rounds with a pause between: see tests/agents/hprof_test.py. */
public class Times {
    static final int THREADS = 8, THROWS = 100, DEPTH = 2000;
    static final CyclicBarrier round = new CyclicBarrier(THREADS + 1);

    static long fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int deep(int n) {
        return n == 0 ? 0 : 1 + deep(n - 1);
    }

    static void fail() {
        throw new IllegalStateException();
    }

    static void leaveByException() {
        for (int i = 0; i < THROWS; i++) {
            try {
                fail();
            } catch (IllegalStateException e) {
                continue;
            }
        }
    }

    static void work() {
        try {
            for (int i = 0; i < 2; i++) {
                fib(15);
                leaveByException();
                round.await();
                round.await();
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < THREADS; i++) {
            Thread brief = new Thread(() -> fib(15));
            brief.start();
            brief.join();
            new Thread(Times::work).start();
        }
        for (int i = 0; i < 2; i++) {
            deep(DEPTH);
            round.await();
            System.out.println("round");
            if (i == 0)
                System.in.read();
            round.await();
        }
        Thread.sleep(1000);
    }
}
