// SPDX-License-Identifier: Apache-2.0
// A small contention check: counters under monitors of several kinds, with collections between.
// @quick
// @modes moving
public class Contended {
    int a;
    static int b;
    int c;
    synchronized void ia() {
        a++;
    }
    static synchronized void ib() {
        b++;
    }

    public static void main(String[] args) throws Exception {
        Contended x = new Contended();
        Object[] locks = new Object[8];
        int[] counts = new int[8];
        for (int i = 0; i < 8; i++) {
            locks[i] = new Object();
        }
        Thread[] ts = new Thread[8];
        for (int t = 0; t < 8; t++) {
            int k = t;
            ts[t] = new Thread(() -> {
                for (int i = 0; i < 300; i++) {
                    x.ia();
                    ib();
                    synchronized (x) {
                        x.c++;
                        if (i % 50 == 0) {
                            Thread.yield();
                        }
                    }
                    int n = (i * 7 + k) % 8;
                    synchronized (locks[n]) {
                        counts[n]++;
                        locks[n].hashCode();
                    }
                    if (i == 150 && k == 3) {
                        System.gc();
                    }
                }
            });
            ts[t].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        int s = 0;
        for (int c : counts) {
            s += c;
        }
        System.out.println(x.a + " " + b + " " + x.c + " " + s);
    }
}
