// SPDX-License-Identifier: Apache-2.0
// A loop that is entered by a path which compiled code of it has never seen: behind a handler of a check that had not failed, or by the
// other side of a branch on a static final field. What the path leaves in the frame has another type, or none, there.
// @quick
// @flags -Xmx64m -Xmn32m
public class LoopTypes {
    static final int OFTEN = 3_000_000;
    static Object sink;

    static void allocate(int j) {
        if ((j & 1023) == 0)
            sink = new byte[4096];
    }

    // Behind the handler locals 6 and 7 hold numbers, which the other path has references in.
    static long other(int[] a, int i, int n, Object p) {
        long sum;
        try {
            Object s = p;
            Object t = p;
            sum = a[i] + (s == t ? 1 : 0);
        } catch (ArrayIndexOutOfBoundsException e) {
            long k = 0x102800008L; // as if a young object were there
            sum = k;
        }
        for (int j = 0; j < n; j++) {
            sum += j;
            allocate(j);
        }
        return sum;
    }

    // Behind the handler local 7 holds nothing, or what a call before has left on the stack.
    static long none(int[] a, int i, int n, Object p) {
        long sum = 5;
        try {
            sum = a[i];
            Object s = p;
            Object t = p;
            sum += s == t ? 1 : 0;
        } catch (ArrayIndexOutOfBoundsException e) {
        }
        for (int j = 0; j < n; j++) {
            sum += j;
            allocate(j);
        }
        return sum;
    }

    // A cast that has not failed.
    static long cast(Object o, int n, Object p) {
        long sum = 0;
        try {
            Object s = p;
            sum = ((String) o).length() + (s == p ? 1 : 0);
        } catch (ClassCastException e) {
            double d = 1e300;
            sum = (long) (d / 1e299);
        }
        for (int j = 0; j < n; j++) {
            sum += j;
            allocate(j);
        }
        return sum;
    }

    static long litter(long a, long b, long c, long d, int depth) {
        long e = a ^ 0x1234567912345679L, f = b ^ e, g = c ^ f, h = d ^ g;
        return depth == 0 ? e + f + g + h : litter(e, f, g, h, depth - 1) + h;
    }

    public static void main(String[] args) {
        int[] a = {7};
        for (int round = 0; round < 3; round++) {
            System.out.println(other(a, 0, OFTEN, "x") + " " + other(a, 99, OFTEN, "x"));
            System.out.println(none(a, 0, OFTEN, "x") + " " + litter(1, 2, 3, 4, 30) + " " + none(a, 99, OFTEN, "x"));
            System.out.println(cast("abc", OFTEN, "x") + " " + cast(a, OFTEN, "x"));
        }
    }
}
