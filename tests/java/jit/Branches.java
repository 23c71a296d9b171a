// SPDX-License-Identifier: Apache-2.0
// Branches on what small methods return: true and false, their negations, numbers, chains of them, in loops and under handlers, with values
// that live on behind them. What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05
// @modes asan stress
// @timeout 120
public class Branches {
    private final int[] data = {5, -3, 8, 0, 13, -21, 34, 0, 7};
    private boolean open = true;
    private static int touched;

    static boolean isNegative(int i) {
        return i < 0;
    }
    static boolean isZero(int i) {
        return !isNegative(i) && !isNegative(-i);
    }
    static boolean between(int i, int from, int to) {
        return i >= from && i < to || i == 1000;
    }
    static int sign(int i) {
        return i < 0 ? -1 : i == 0 ? 0 : 1;
    }
    static boolean touch(boolean answer) {
        touched++;
        return answer;
    }
    static boolean isBox(Object o) {
        return o instanceof Integer;
    }
    boolean isOpen() {
        return open;
    }
    boolean hasNext(int at) {
        return at != data.length;
    }

    int chain() {
        int sum = 0;
        for (int at = 0; hasNext(at); at++) {
            int i = data[at];
            if (isZero(i))
                continue;
            if (isNegative(i) ^ isOpen())
                sum = sum * 3 + i;
            if (!between(i, 0, 10) || touch(i > 5))
                sum++;
        }
        return sum;
    }
    // What merges with the answer lives on.
    static int live(int i) {
        int kept;
        boolean answer;
        if (i > 3) {
            kept = i * 2;
            answer = true;
        } else {
            kept = -i;
            answer = i == 2;
        }
        int behind = answer ? kept + 100 : kept - 100;
        return answer ? behind * kept : behind + kept;
    }
    static String named(int i) {
        switch (sign(i)) {
        case -1: return "below";
        case 0: return "zero";
        default: return sign(i - 7) > 0 ? "far" : "near";
        }
    }
    static int handled(int[] a, int i) {
        try {
            if (isNegative(a[i]) && touch(isNegative(a[i + 1])))
                return 1;
            return isZero(a[i]) ? 2 : 3;
        } catch (ArrayIndexOutOfBoundsException e) {
            return isNegative(i) ? 4 : 5;
        }
    }
    static boolean same(boolean a, boolean b) {
        return a == b;
    }
    static int pair(int i, int j) {
        if (same(isNegative(i), isNegative(j)))
            return same(i == 1, j == 1) ? 1 : 2;
        return same(i == 1, j == -1) ? 3 : 4;
    }
    static int loops(int n) {
        int count = 0;
        boolean more = true;
        do {
            count++;
            more = count < n;
        } while (more);
        for (int i = 0; touch(i < n); i++)
            if (!touch(i % 3 == 0))
                count += i;
        return count;
    }

    public static void main(String[] args) {
        Branches b = new Branches();
        int[] a = {1, -1, -2, 0, 5, -7};
        Object[] objects = {1, "two", null, 4L, 5};
        for (int round = 0; round < 3; round++) {
            long sum = 0;
            for (int k = 0; k < 2000; k++) {
                b.open = k % 3 != 0;
                sum = sum * 31 + b.chain();
                sum = sum * 31 + live(k % 7) + live(k);
                sum = sum * 31 + named(k % 19 - 5).hashCode();
                sum = sum * 31 + handled(a, k % 8 - 1);
                sum = sum * 31 + pair(k % 5 - 2, k % 3 - 1);
                sum = sum * 31 + loops(k % 11);
                sum = sum * 31 + (isBox(objects[k % 5]) ? 1 : 0);
                sum = sum * 31 + (between(k, 900, 950) ? 7 : 9);
            }
            System.out.println(sum + " " + touched);
        }
    }
}
