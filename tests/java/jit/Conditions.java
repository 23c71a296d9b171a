// SPDX-License-Identifier: Apache-2.0
// Checks that branches before them have answered are dropped, and loads before a loop serve in it: loops over arrays that begin below 0,
// end behind the array, run over the greatest int, count down, in steps, in each other; fields that the loop stores, that
// a call stores. What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05 -XX:-OmitStackTraceInFastThrow
// @modes asan stress
// @timeout 120
public class Conditions {
    private int[] numbers = {3, 1, 4, 1, 5, 9, 2, 6};
    private int count;

    static int up(int[] a, int from, int to) {
        int s = 0;
        for (int i = from; i < to; i++)
            s = s * 31 + a[i];
        return s;
    }
    static int upToLength(int[] a, int from) {
        int s = 0;
        for (int i = from; i < a.length; i++)
            s = s * 31 + a[i];
        return s;
    }
    static int whole(int[] a) {
        int s = 0;
        for (int i = 0; i < a.length; i++)
            s = s * 31 + a[i];
        return s;
    }
    static int equalToo(int[] a) {
        int s = 0;
        for (int i = 0; i <= a.length; i++)
            s = s * 31 + a[i];
        return s;
    }
    static int steps(int[] a, int step) {
        int s = 0;
        for (int i = 0; i < a.length; i += step)
            s = s * 31 + a[i];
        return s;
    }
    static int down(int[] a, int from) {
        int s = 0;
        for (int i = from; i >= 0; i--)
            s = s * 31 + a[i];
        return s;
    }
    static int runsOver(int[] a, int from) {
        int s = 0;
        for (int i = from; i != from + 4; i++)
            if (i < a.length)
                s = s * 31 + a[i];
        return s;
    }
    static int twoNames(int[] a, int[] b) {
        int s = 0;
        for (int i = 0; i < a.length; i++)
            s = s * 31 + b[i];
        return s;
    }
    static int changesIndex(int[] a, int by) {
        int s = 0;
        for (int i = 0; i < a.length; i++) {
            s = s * 31 + a[i];
            if (s == 3)
                i += by;
        }
        return s;
    }
    static int pairs(int[] a) {
        int s = 0;
        for (int i = 0; i < a.length; i++)
            for (int k = i + 1; k < a.length; k++)
                s = s * 31 + a[i] * a[k];
        return s;
    }
    int ofField() {
        int s = 0;
        for (int i = 0; i < numbers.length; i++)
            s = s * 31 + numbers[i];
        return s;
    }
    int fieldIsStored(int[] other) {
        int s = 0;
        for (int i = 0; i < numbers.length; i++) {
            s = s * 31 + numbers[i];
            if (i == 2)
                numbers = other;
        }
        return s;
    }
    void set(int[] other) {
        count++;
        if (count % 3 == 0)
            numbers = other;
    }
    int callStores(int[] other) {
        int s = 0;
        for (int i = 0; i < numbers.length; i++) {
            s = s * 31 + numbers[i];
            set(other);
        }
        return s;
    }
    static int orNull(int[] a) {
        if (a == null)
            return -1;
        return a.length + (a != null ? a[0] : 0);
    }
    static int nullLater(int[] a) {
        int s = 0;
        for (int i = 0; a != null; i++) {
            s += a.length;
            if (i == 3)
                a = null;
        }
        return s + (a == null ? 100 : a.length);
    }

    interface Test { int run(int turn); }
    static void run(String name, Test test) {
        StringBuilder text = new StringBuilder(name);
        int sum = 0;
        for (int turn = 0; turn < 3000; turn++) {
            int now;
            try {
                now = test.run(turn);
            } catch (RuntimeException e) {
                now = e.toString().hashCode();
                if (turn % 1000 == 999)
                    text.append(' ').append(e.getMessage());
            }
            sum = sum * 17 + now;
        }
        System.out.println(text + " " + sum);
    }

    public static void main(String[] args) {
        int[] a = {3, 1, 4, 1, 5, 9, 2, 6}, shorter = {2, 7, 1};
        int min = Integer.MIN_VALUE, max = Integer.MAX_VALUE;
        run("up", t -> up(a, 0, t % 9));
        run("up from below", t -> up(a, t % 1000 == 999 ? -1 : 0, 8));
        run("up too far", t -> up(a, 2, t % 1000 == 999 ? 9 : 8));
        run("to length", t -> upToLength(a, t % 1000 == 999 ? min : t % 10));
        run("whole", t -> whole(t % 2 == 0 ? a : shorter));
        run("whole of null", t -> whole(t % 1000 == 999 ? null : a));
        run("equal too", t -> equalToo(a));
        run("steps", t -> steps(a, t % 1000 == 999 ? max : 1 + t % 7));
        run("steps over", t -> steps(a, t % 1000 == 999 ? max - 1 : 3));
        run("down", t -> down(a, t % 1000 == 999 ? 8 : t % 8));
        run("runs over", t -> runsOver(a, t % 1000 == 999 ? max - 2 : t % 8));
        run("two names", t -> twoNames(a, t % 1000 == 999 ? shorter : a));
        run("changes index", t -> changesIndex(a, t % 1000 == 999 ? -5 : t % 1000 == 998 ? max : 1));
        run("pairs", t -> pairs(t % 2 == 0 ? a : shorter));
        Conditions c = new Conditions();
        run("of a field", t -> { c.numbers = t % 2 == 0 ? a : shorter; return c.ofField(); });
        run("a field is stored", t -> { c.numbers = a; return c.fieldIsStored(t % 2 == 0 ? a : shorter); });
        run("a call stores", t -> { c.numbers = a; return c.callStores(t % 2 == 0 ? a : shorter); });
        run("or null", t -> orNull(t % 5 == 0 ? null : a));
        run("null later", t -> nullLater(t % 5 == 0 ? null : a));
    }
}
