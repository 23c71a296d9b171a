// SPDX-License-Identifier: Apache-2.0
// A branch that all paths answer before it: what nothing leads to any more is left out of the graph at once.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitVerify
public class Threaded {
    static int answer(int i) {
        if (i % 1000 == 0)
            return 0;
        return 1;
    }

    public static void main(String[] args) {
        int less = 0;
        long sum = 0;
        for (int i = 0; i < 2000000; i++) {
            if (answer(i) < 0)
                less++;
            sum += i ^ less;
        }
        System.out.println(less + " " + sum);
    }
}
