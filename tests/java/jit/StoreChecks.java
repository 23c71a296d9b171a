// SPDX-License-Identifier: Apache-2.0
// Stores into arrays of arrays, whose class the VM is asked for, beside a thread that allocates all the time: what registers hold over
// the question is still there behind it.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:CompileThresholdScaling=0.05 -Xmx24m
// @modes stress
// @timeout 120
public class StoreChecks {
    static volatile Object sink;
    static volatile boolean ends;

    static void fill(Object[][] to, Object[][] from, int n) {
        for (int i = 0; i < n; i++)
            to[i & 63] = from[i & 63];
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> {
            while (!ends)
                sink = new byte[200];
        });
        t.start();
        int wrong = 0, rounds = Integer.getInteger("rounds", 3000);
        long end = System.nanoTime() + 20_000_000_000L;
        for (int r = 0; r < rounds && System.nanoTime() < end; r++) {
            Object[][] to = new Object[64][], from = new Object[64][];
            for (int i = 0; i < 64; i++)
                from[i] = new String[] {"" + i};
            fill(to, from, 2000);
            for (int i = 0; i < 64; i++)
                wrong += to[i] == from[i] && to[i][0].equals("" + i) ? 0 : 1;
        }
        ends = true;
        t.join();
        System.out.println("wrong " + wrong);
    }
}
