// SPDX-License-Identifier: Apache-2.0
// Synchronized methods and blocks: release on exception, recursion, static locks, illegal monitor states.
// @quick
public class Sync1 {
    int n;
    synchronized void inc(boolean fail) {
        n++;
        if (fail) {
            throw new IllegalStateException("fail " + Thread.holdsLock(this));
        }
    }
    static synchronized boolean st() {
        return Thread.holdsLock(Sync1.class);
    }
    synchronized int rec(int k) {
        return k == 0 ? 0 : 1 + rec(k - 1);
    }
    static boolean freeFromOther(Object o) throws InterruptedException {
        boolean[] got = new boolean[1];
        Thread t = new Thread(() -> {
            synchronized (o) {
                got[0] = true;
            }
        });
        t.start();
        t.join(10000);
        return got[0];
    }
    interface T {
        void run() throws Exception;
    }
    static void t(T r) {
        try {
            r.run();
            System.out.println("fine");
        } catch (Exception e) {
            System.out.println(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Sync1 s = new Sync1();
        t(() -> s.inc(false));
        t(() -> s.inc(true));
        System.out.println(Thread.holdsLock(s) + " " + freeFromOther(s) + " " + s.n + " " + st() + " " + Thread.holdsLock(Sync1.class));
        System.out.println(s.rec(500) + " " + freeFromOther(s));
        t(() -> {
            synchronized (s) {
                synchronized (s) {
                    s.rec(3);
                    System.out.println(Thread.holdsLock(s));
                }
                System.out.println(Thread.holdsLock(s));
                throw new Exception("out");
            }
        });
        System.out.println(Thread.holdsLock(s) + " " + freeFromOther(s));
        t(() -> s.wait());
        t(() -> s.notify());
        t(() -> s.notifyAll());
        t(() -> s.wait(10));
        t(() -> s.wait(-1));
        t(() -> {
            synchronized (s) {
                s.wait(0, 1000000);
            }
        });
        t(() -> {
            synchronized (s) {
                s.wait(1);
                System.out.println(Thread.holdsLock(s));
            }
        });
        t(() -> {
            synchronized (null == args ? s : null) {
                System.out.println("never");
            }
        });
        t(() -> Thread.holdsLock(null));
        int h = s.hashCode();
        synchronized (s) {
            System.out.println(h == s.hashCode());
            System.gc();
            System.out.println(h == System.identityHashCode(s));
        }
        Object[] locks = new Object[200];
        for (int i = 0; i < locks.length; i++) {
            locks[i] = new Object();
        }
        System.out.println(nest(locks, 0) + " " + freeFromOther(locks[199]));
        synchronized (Sync1.class) {
            synchronized ("literal") {
                synchronized (new int[0]) {
                    System.out.println("many kinds");
                }
            }
        }
    }

    static int nest(Object[] l, int i) {
        if (i == l.length) {
            System.gc();
            return i;
        }
        synchronized (l[i]) {
            return nest(l, i + 1);
        }
    }
}
