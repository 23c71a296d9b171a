// SPDX-License-Identifier: Apache-2.0
// wait and notify: ping-pong, bounded buffer, notify one and all, timed waits, recursion kept over wait.
// @quick
// @modes aarch64
import java.util.*;

public class WaitNotify {
    static int turn;
    static final Object lock = new Object();

    static void pingpong() throws Exception {
        StringBuilder sb = new StringBuilder();
        Thread[] ts = new Thread[3];
        for (int i = 0; i < 3; i++) {
            int k = i;
            ts[i] = new Thread(() -> {
                for (int r = 0; r < 5; r++) {
                    synchronized (lock) {
                        while (turn % 3 != k) {
                            try {
                                lock.wait();
                            } catch (InterruptedException e) {
                                throw new Error(e);
                            }
                        }
                        sb.append(k);
                        turn++;
                        lock.notifyAll();
                    }
                }
            });
            ts[i].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        System.out.println(sb);
    }

    static class Buf {
        final ArrayDeque<Integer> q = new ArrayDeque<>();
        synchronized void put(int i) throws InterruptedException {
            while (q.size() >= 4) {
                wait();
            }
            q.add(i);
            notifyAll();
        }
        synchronized int take() throws InterruptedException {
            while (q.isEmpty()) {
                wait();
            }
            int r = q.remove();
            notifyAll();
            return r;
        }
    }

    public static void main(String[] args) throws Exception {
        pingpong();
        Buf b = new Buf();
        long[] sums = new long[4];
        Thread[] ts = new Thread[8];
        for (int i = 0; i < 8; i++) {
            int k = i;
            ts[i] = new Thread(() -> {
                try {
                    for (int j = 0; j < 200; j++) {
                        if (k < 4) {
                            b.put(k * 200 + j);
                        } else {
                            sums[k - 4] += b.take();
                        }
                    }
                } catch (InterruptedException e) {
                    throw new Error(e);
                }
            });
            ts[i].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        System.out.println(Arrays.stream(sums).sum());
        Object o = new Object();
        long t0 = System.nanoTime();
        synchronized (o) {
            o.wait(20);
        }
        synchronized (o) {
            o.wait(0, 999999);
        }
        System.out.println("timed " + (System.nanoTime() - t0 >= 19000000L));
        boolean[] go = new boolean[1];
        Thread w = new Thread(() -> {
            synchronized (o) {
                synchronized (o) {
                    while (!go[0]) {
                        try {
                            o.wait();
                        } catch (InterruptedException e) {
                            throw new Error(e);
                        }
                    }
                    System.out.println("holds " + Thread.holdsLock(o));
                }
                System.out.println("still " + Thread.holdsLock(o));
            }
            System.out.println("no more " + Thread.holdsLock(o));
        });
        w.start();
        while (w.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        synchronized (o) {
            go[0] = true;
            o.notify();
            Thread.sleep(5);
            System.out.println("notified, still mine: " + w.getState());
        }
        w.join();
        int[] woke = new int[1];
        Thread[] ws = new Thread[5];
        for (int i = 0; i < 5; i++) {
            ws[i] = new Thread(() -> {
                synchronized (lock) {
                    try {
                        lock.wait();
                    } catch (InterruptedException e) {
                        throw new Error(e);
                    }
                    woke[0]++;
                    lock.notify();
                }
            });
            ws[i].start();
        }
        for (Thread x : ws) {
            while (x.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
        }
        synchronized (lock) {
            lock.notify();
        }
        for (Thread x : ws) {
            x.join();
        }
        System.out.println("chain " + woke[0]);
    }
}
