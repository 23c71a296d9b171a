// SPDX-License-Identifier: Apache-2.0
// Compiled code enters and exits monitors of all states: free ones, its own again (thin ones that count, deeper than they can), of objects with
// an identity hash, contended, inflated and waited on; throws out of them, returns values of all kinds out of synchronized methods. What the
// tools' views of held monitors say agrees all the time, and what it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05 -Xmx24m
// @modes asan stress
// @timeout 180
public class Locks {
    int count;
    long wide = 1;
    double number = 0.5;
    Object[] kept = new Object[2];

    synchronized int add(int k) { return count += k; }
    synchronized long addWide(long k, int a, int b, int c, int d, int e) { return wide += k * a - b * c + d % (e | 1); }
    synchronized double addNumber(double k) { return number = number * 0.5 + k; }
    synchronized Object keep(Object o) {
        Object old = kept[0];
        kept[0] = kept[1];
        kept[1] = o;
        return old;
    }
    static synchronized float half(float f) { return f / 2; }
    synchronized int again(int depth) { return depth == 0 ? count & 1 : again(depth - 1) + 1; }
    synchronized int fails(int k) { return 100 / (k % 5) + kept.length; }

    static boolean held(Object a, Object b) { return Thread.holdsLock(a) && Thread.holdsLock(b); }

    static int nested(Object a, Object b, int k) {
        int r = 0;
        synchronized (a) {
            r++;
            synchronized (b) {
                synchronized (a) {
                    if ((k & 15) == 3)
                        r += held(a, b) ? 100 : 1000;
                    if (k % 97 == 5)
                        throw new IllegalStateException("out " + held(a, b));
                }
                r += k & 3;
            }
            r += Thread.holdsLock(b) == (a == b) ? 0 : 5000;
        }
        return r;
    }

    static String on(Object o) {
        try {
            synchronized (o) {
                return "locked";
            }
        } catch (NullPointerException e) {
            return "null";
        }
    }

    public static void main(String[] args) throws Exception {
        Locks l = new Locks();
        Object a = new Object(), b = new Object();
        long sum = 0;
        int thrown = 0;
        for (int i = 0; i < 3000; i++) {
            if (i == 1500)
                b.hashCode();
            sum += l.add(i) + l.addWide(i, i, 3, i >> 1, 5, i & 7) + (long) (l.addNumber(i) * 4) + (long) half(i) + l.again(i % 40);
            Object old = l.keep(i % 3 == 0 ? new int[i & 7] : "s" + i % 10);
            sum += old instanceof int[] ? ((int[]) old).length : old instanceof String ? old.hashCode() : 1;
            try {
                sum += nested(a, i % 4 == 0 ? a : b, i);
                sum += l.fails(i);
            } catch (IllegalStateException e) {
                thrown += e.getMessage().equals("out true") ? 1 : 10000;
            } catch (ArithmeticException e) {
                thrown += 1000000;
            }
            if (Thread.holdsLock(a) || Thread.holdsLock(b) || Thread.holdsLock(l) || Thread.holdsLock(Locks.class))
                throw new AssertionError("held at " + i);
        }
        System.out.println(sum + " " + thrown + " " + on(a) + " " + on(null) + " " + l.again(1200));
        Thread[] threads = new Thread[3];
        int[] turns = new int[1];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < 4000; i++) {
                    synchronized (a) {
                        turns[0]++;
                        if (i % 1000 == 0) {
                            try {
                                a.wait(1);
                            } catch (InterruptedException e) {
                                turns[0] = -100000;
                            }
                        }
                        if (i % 100 == 0)
                            a.notifyAll();
                    }
                    l.add(1);
                    half(i);
                }
            });
            threads[t].start();
        }
        for (Thread t : threads)
            t.join();
        for (int i = 0; i < 200; i++)
            nested(a, b, 97 * i + 1);
        System.out.println(turns[0] + " " + l.add(0) + " " + Thread.holdsLock(a));
    }
}
