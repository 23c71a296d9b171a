// SPDX-License-Identifier: Apache-2.0
// JVMPI misses no event of hot calls while an environment of JVM TI begins and ends to want them, too.
// @only pellucid
// @xrun pi_shared
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+JitSync
public class PiShared {
    static native void begin();
    static native void toggle(boolean on);
    static native long missing(long expected);
    static native boolean seen();

    static volatile boolean stop;
    static volatile int sink;

    static int called(int n) { return n + 1; }

    static int calls(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum = called(sum);
        return sum;
    }

    public static void main(String[] args) throws Exception {
        begin();
        long[] missed = new long[2];
        Thread[] threads = new Thread[missed.length];
        for (int i = 0; i < threads.length; i++) {
            int own = i;
            threads[i] = new Thread(() -> {
                missing(0);
                while (!stop) {
                    sink = calls(300);
                    missed[own] += missing(300);
                }
            });
            threads[i].start();
        }
        for (int i = 0; i < 1500; i++) {
            toggle(i % 2 == 0);
            if (i % 16 == 0)
                Thread.sleep(1);
        }
        stop = true;
        for (Thread t : threads)
            t.join();
        System.out.println("missed " + (missed[0] + missed[1]) + ", JVM TI has seen some: " + seen());
    }
}
