// SPDX-License-Identifier: Apache-2.0
// Elements at constant indexes, those that no array has among them: the code behind the check that fails is never run, but it is made.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitAll -XX:+JitVerify
// @quick
public class Indexes {
    static byte[] bytes = {1, 2, 3};
    static boolean[] flags = {true, false, true};
    static char[] chars = {'a', 'b', 'c'};
    static short[] shorts = {-1, -2, -3};
    static int[] ints = {10, 20, 30};
    static long[] longs = {1L << 40, 2, 3};
    static float[] floats = {1.5f, 2.5f, 3.5f};
    static double[] doubles = {-1.5, -2.5, -3.5};
    static Object[] objects = {"x", "y", "z"};

    static String before() {
        return bytes[-1] + "" + flags[-1] + chars[-1] + shorts[-1] + ints[-1] + longs[-1] + floats[-1] + doubles[-1] + objects[-1];
    }
    static int least() {
        return ints[Integer.MIN_VALUE] + bytes[Integer.MIN_VALUE];
    }
    static long greatest() {
        return longs[Integer.MAX_VALUE] + bytes[Integer.MAX_VALUE];
    }
    static String within() {
        return bytes[2] + "" + flags[1] + chars[0] + shorts[2] + ints[1] + longs[0] + floats[2] + doubles[1] + objects[2];
    }
    static void storeBefore(int which) {
        switch (which) {
            case 0: bytes[-1] = 1; break;
            case 1: flags[-2] = true; break;
            case 2: chars[-3] = 'c'; break;
            case 3: shorts[-4] = 4; break;
            case 4: ints[-5] = 5; break;
            case 5: longs[-6] = 6; break;
            case 6: floats[-7] = 7; break;
            case 7: doubles[-8] = 8; break;
            case 8: objects[-9] = "nine"; break;
            case 9: ints[Integer.MIN_VALUE]++; break;
            default: longs[Integer.MAX_VALUE] = 10; break;
        }
    }
    static int within(int which) {
        ints[2] += which;
        bytes[0] += which;
        longs[1] ^= which;
        return ints[2] + bytes[0] + (int) longs[1];
    }

    static int minusOne() {
        return -1;
    }
    static int element(int[] a, int at) {
        return a[at];
    }
    static int last(int[] a, int count) {
        return count > 0 ? a[count - 1] : a[0];
    }
    static int found() {
        int at = minusOne();
        ints[at & 1] = 5;
        return element(ints, minusOne()) + longs(at);
    }
    static int longs(int at) {
        return (int) longs[at * 2];
    }
    static int none(int[] a) {
        int at = -1;
        for (int i = 0; i < 0; i++)
            at = i;
        return a[at];
    }
    static int same(int[] a, boolean one) {
        int at = one ? -1 : minusOne();
        return a[at];
    }
    static int loop(int[] a, int n) {
        int at = -1;
        for (int i = 0; i < n; i++) {
            if (i > 1000)
                at = minusOne();
            if (at >= 0 || a == null)
                return a[at];
            if (i == 2000)
                a[at] = a[at] + 1;
        }
        return a[at];
    }
    static int maybe(int[] a, boolean some) {
        int count = 0;
        if (some)
            count = a.length;
        return last(a, count) + (count == 0 ? a[count - 1] : 0);
    }

    interface Body { Object run() throws Exception; }

    static void told(String what, Body body) {
        try {
            System.out.println(what + " " + body.run());
        } catch (Exception e) {
            System.out.println(what + " " + e);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            told("before", Indexes::before);
            told("least", Indexes::least);
            told("greatest", Indexes::greatest);
            told("within", Indexes::within);
            told("found", Indexes::found);
            told("none", () -> none(ints));
            told("same", () -> same(ints, true));
            told("same", () -> same(ints, false));
            told("loop", () -> loop(ints, 3));
            told("some", () -> maybe(ints, true));
            told("none", () -> maybe(ints, false));
        }
        for (int i = 0; i <= 10; i++) {
            int which = i;
            told("store " + i, () -> {
                storeBefore(which);
                return "";
            });
            told("in it", () -> within(which));
        }
    }
}
