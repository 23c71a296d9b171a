// SPDX-License-Identifier: Apache-2.0
// JVMPI: IDs are defined before use and undefined once, moves are followed, what was allocated and not freed is a heap dump of
// level 0 (statements 12, 55-64, 67-69, 78, 80, 83, 86, 93, 189-191).
// @only pellucid
// @xrun pi_ids
// @flags -Xmx48m
// @quick
import java.util.ArrayList;
import java.util.List;

public class PiIds {
    static final Object lock = new Object();
    static List<Object> kept = new ArrayList<>();

    static void churn(int seed) {
        Object[] ring = new Object[64];
        for (int i = 0; i < 3000; i++) {
            ring[i & 63] = (i & 1) == 0 ? new int[i % 50] : new Object[][] {ring.clone()}[0].clone();
            if (i % 500 == 0) {
                synchronized (lock) {
                    kept.add("kept " + seed + i);
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            int seed = i;
            threads[i] = new Thread(() -> churn(seed));
            threads[i].start();
        }
        System.gc();
        for (Thread t : threads)
            t.join();
        synchronized (lock) {
            lock.wait(1);
        }
        Class.forName("java.util.concurrent.Phaser");
        System.gc();
        System.out.println(kept.size());
    }
}
