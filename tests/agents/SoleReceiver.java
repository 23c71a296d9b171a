// SPDX-License-Identifier: Apache-2.0
// One environment alone receives the events of hot methods. Its callbacks collect, so that what the method returns moves, make more local
// references than there is room for at once, call Java, or take themselves away: all calls are posted up to there, with the right results, and
// nothing is left behind.
// @agent ti_sole
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync
// @modes asan stress
// @timeout 120
public class SoleReceiver {
    static final String[] DEEDS = {"nothing", "collects", "makes references", "runs Java", "falls silent"};

    static native void begin(Object expected, int deed);
    static native void end(String name);

    static Object give(Object o) { return o; }
    static int add(int a, int b) { return a + b; }
    static int called(int n) { return add(n, 1) + (give(null) == null ? 1 : 0); }

    static long work(Object expected, int turns) {
        long sum = 0;
        for (int i = 0; i < turns; i++) {
            Object o = give(i % 3 == 0 ? null : new byte[] {(byte) i}); // old and young ones
            sum += o == null ? 1 : ((byte[]) o)[0];
            sum += give(expected) == expected ? 2 : 1000;
            sum += add(i, 1);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        SoleReceiver expected = new SoleReceiver();
        for (int deed = 0; deed < DEEDS.length; deed++) {
            begin(expected, deed);
            long sum = work(expected, 5000);
            end(DEEDS[deed]);
            System.out.println(sum);
        }
        Thread other = new Thread(() -> {
            begin(expected, 1);
            System.out.println(work(expected, 5000));
            end("another thread");
        });
        other.start();
        other.join();
    }
}
