// SPDX-License-Identifier: Apache-2.0
// Loops that begin with operands on the stack are entered in the middle of their one activation: operands of all kinds, within a monitor,
// while objects move, left for what never ran before and by an exception. That they have code shows programs/compile_loops.
// @flags -Xbatch -XX:CompileThresholdScaling=0.01 -Xmx16m
// @modes asan stress
// @timeout 120
public class LoopOperands {
    static Object kept;

    static String join(String a, long wide, String b, double d, float f, int sum, byte last) {
        return a + " " + wide + " " + b + " " + d + " " + f + " " + sum + " " + last;
    }

    // Whoever calls waits for what the loop gives, with its arguments on the stack.
    static String operands(String a, long wide, double d, int n) {
        return join(a + "!", wide + 1, a + "?", d * 2, (float) d, switch (n & 1) {
            default -> {
                int sum = 0;
                for (int i = 0; i < n; i++) {
                    sum += i;
                    if ((i & 63) == 0) {
                        kept = new int[1000]; // these move
                    }
                }
                yield sum;
            }
        }, (byte) n);
    }

    // The loop ends in what never ran.
    static String left(String a, long wide, int n) {
        return join(a + 1, wide - 1, a + 2, 0.5, 0.25f, switch (n & 1) {
            default -> {
                int sum = 0;
                for (int i = 0; i < n; i++) {
                    sum ^= i;
                    if (i == n - 3) {
                        sum += Integer.parseInt("7");
                    }
                }
                yield sum;
            }
        }, (byte) 1);
    }

    static String locked(Object lock, String a, int n) {
        synchronized (lock) {
            return a.concat(switch (n & 1) {
                default -> {
                    long sum = 0;
                    for (int i = 0; i < n; i++) {
                        sum += i * (long) i;
                    }
                    yield sum + (Thread.holdsLock(lock) ? " held" : " lost");
                }
            });
        }
    }

    static int thrown(int[] a, int n) {
        return n * switch (n & 1) {
            default -> {
                int sum = 0;
                for (int i = 0; i < n; i++) {
                    sum += a[i];
                }
                yield sum;
            }
        };
    }

    public static void main(String[] args) {
        int n = 20000;
        System.out.println(operands("a", 1L << 40, 1.25, n));
        System.out.println(left("b", -1L << 33, n));
        Object lock = new Object();
        System.out.println(locked(lock, "c", n) + " " + Thread.holdsLock(lock));
        try {
            System.out.println(thrown(new int[n - 1], n));
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
    }
}
