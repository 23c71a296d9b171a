// SPDX-License-Identifier: Apache-2.0
// One activation enters the code of its loop and leaves it some hundred thousand times: its stack, a small one, does not grow.
// @flags -Xss256k -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitAll -XX:JitDeoptEvery=1
// @modes asan stress
public class OsrOften {
    static final int[] numbers = new int[64];
    static int limit = 15_000_000;

    static long loop() {
        long sum = 0;
        for (int i = 0; i < limit; i++) {
            numbers[i & 63] += i;
            sum += numbers[i * 7 & 63] ^ i;
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> System.out.println(loop()));
        t.start();
        t.join();
        System.out.println(loop());
    }
}
