// SPDX-License-Identifier: Apache-2.0
// Hot threads post calls while the VM ends: none comes in the dead phase. (On HotSpot some do.)
// @only pellucid
// @agent ti_dead_phase
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync
public class DeadPhase {
    static native void begin();

    static volatile int sink, ready;

    static int called(int i) { return i + 1; }

    static void hot() {
        for (int turn = 0;; turn++) {
            int sum = 0;
            for (int i = 0; i < 1000; i++)
                sum = called(sum);
            sink = sum;
            if (turn == 20)
                synchronized (DeadPhase.class) {
                    ready++;
                }
        }
    }

    public static void main(String[] args) throws Exception {
        begin();
        for (int i = 0; i < 3; i++) {
            Thread t = new Thread(DeadPhase::hot);
            t.setDaemon(true);
            t.start();
        }
        while (ready < 3)
            Thread.sleep(10);
    }
}
