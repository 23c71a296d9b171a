// SPDX-License-Identifier: Apache-2.0
// A short stack overflow check: overflow and recover over and over on a small stack.
// @flags -Xss512k
// @quick
public class DeepRecursion {
    static int depth;

    static int go(int n) {
        depth = n;
        return go(n + 1) + 1;
    }

    public static void main(String[] args) {
        int ok = 0;
        for (int i = 0; i < 10; i++) {
            try {
                go(0);
            } catch (StackOverflowError e) {
                if (depth > 500) {
                    ok++;
                }
            }
        }
        System.out.println(ok);
    }
}
