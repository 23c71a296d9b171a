// SPDX-License-Identifier: Apache-2.0
// A box of a value that a loop has made, behind the loop, whose first turn stands before it in compiled code: the box that deoptimization makes
// has the value of the turn in which the loop was left.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05
// @modes stress
// @quick
public class PeeledBoxes {
    static int find(int[] a, int key, int i, boolean rare) {
        while (a[i] != key)
            i++;
        Integer box = i;
        if (rare)
            return show(box);
        return box + 1;
    }
    static int skip(int[] a, int i, boolean rare) {
        int n = a.length;
        while (i < n && a[i] < 500)
            i += 2;
        Integer box = i;
        if (rare)
            return show(box);
        return box - 1;
    }
    static long sum(long[] a, long start, boolean rare) {
        long s = start;
        for (int k = 0; k < a.length; k++)
            s += a[k];
        Long box = s;
        if (rare)
            return show(box);
        return box * 3;
    }
    static int show(Object o) {
        System.out.println(o.getClass().getSimpleName() + " " + o);
        return 0;
    }

    public static void main(String[] args) {
        int[] a = new int[1000];
        for (int k = 0; k < a.length; k++)
            a[k] = k;
        long[] longs = new long[100];
        for (int k = 0; k < longs.length; k++)
            longs[k] = k * 1_000_000_007L;
        long all = 0;
        for (int k = 0; k < 20_000; k++) {
            all += find(a, k % 1000, Math.max(0, k % 1000 - 3), false);
            all += skip(a, k % 1000, false);
            all += sum(k % 3 == 0 ? new long[0] : longs, k, false);
        }
        System.out.println(all);
        find(a, 777, 777, true);
        find(a, 800, 777, true);
        skip(a, 600, true);
        skip(a, 0, true);
        sum(new long[0], 4711, true);
        sum(longs, -4711, true);
        for (int k = 0; k < 20_000; k++) // once more, after what was rare
            all += find(a, k % 1000, k % 1000, false) + skip(a, 0, false) + sum(longs, k, false);
        System.out.println(all);
        find(a, 3, 3, true);
        skip(a, 999, true);
        sum(new long[0], 5, true);
    }
}
