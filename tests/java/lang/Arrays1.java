// SPDX-License-Identifier: Apache-2.0
// Arrays of every type and dimension: access, bounds, store checks, negative sizes, copies, clones.
// @quick
public class Arrays1 {
    static void t(String what, Runnable r) {
        try {
            r.run();
            System.out.println(what + " fine");
        } catch (Throwable e) {
            System.out.println(what + " " + e);
        }
    }

    public static void main(String[] args) {
        boolean[] z = new boolean[3];
        byte[] b = new byte[3];
        char[] c = new char[3];
        short[] s = new short[3];
        int[] i = new int[3];
        long[] l = new long[3];
        float[] f = new float[3];
        double[] d = new double[3];
        Object[] o = new Object[3];
        z[1] = true;
        b[1] = (byte) 0xff;
        c[1] = 0xffff;
        s[1] = (short) 0x8000;
        i[1] = 0x80000000;
        l[1] = 1L << 63;
        f[1] = 1.5f;
        d[1] = 2.5;
        o[1] = "o";
        b[2]++;
        c[2] += 70000;
        s[2]--;
        i[2] ^= 5;
        l[2] |= 7L << 40;
        f[2] /= 0;
        d[2] -= 1;
        System.out.println(java.util.Arrays.toString(z) + java.util.Arrays.toString(b) + (int) c[1] + "," + (int) c[2]
            + java.util.Arrays.toString(s) + java.util.Arrays.toString(i) + java.util.Arrays.toString(l)
            + java.util.Arrays.toString(f) + java.util.Arrays.toString(d) + java.util.Arrays.toString(o));
        t("z", () -> z[3] = true);
        t("b", () -> b[-1] = 1);
        t("c", () -> c[99] = 1);
        t("s", () -> s[Integer.MAX_VALUE] = 1);
        t("i", () -> i[3] = 1);
        t("l", () -> l[3] = 1);
        t("f", () -> f[Integer.MIN_VALUE] = 1);
        t("d", () -> d[3] = 1);
        t("o", () -> o[3] = "");
        t("iload", () -> System.out.println(i[3]));
        t("oload", () -> System.out.println(o[-5]));
        t("empty", () -> System.out.println(new int[0][0]));
        t("neg", () -> System.out.println(new int[Integer.parseInt("-1")]));
        t("nego", () -> System.out.println(new String[Integer.parseInt("-7")]));
        t("negm", () -> System.out.println(new int[2][Integer.parseInt("-7")].length));
        t("negm0", () -> System.out.println(new int[0][Integer.parseInt("-7")].length));
        Object[] strs = new String[2];
        t("store", () -> strs[0] = 1);
        t("storenull", () -> strs[0] = null);
        Object[] ints = new Integer[2][3];
        t("store2", () -> ints[0] = new Integer[1]);
        t("store3", () -> ints[0] = new String[1]);
        t("store4", () -> ints[0] = "x");
        Object[] objs = new Object[1];
        t("store5", () -> objs[0] = new int[2]);
        Comparable<?>[] cs = new String[1];
        t("store6", () -> ((Object[]) cs)[0] = new Object());
        int[][][] m = new int[2][3][];
        System.out.println(m.length + " " + m[1].length + " " + m[1][2]);
        m[1][2] = new int[] {1, 2};
        m[0] = new int[][] {{1}, {2, 3}, {}};
        System.out.println(java.util.Arrays.deepToString(m));
        long[][][][] q = new long[1][2][3][4];
        q[0][1][2][3] = 9;
        System.out.println(q.getClass() + java.util.Arrays.deepToString(q));
        int[] cl = i.clone();
        cl[0] = 77;
        int[][] cm = {{1}, {2}};
        int[][] cm2 = cm.clone();
        cm2[0][0] = 5;
        System.out.println(i[0] + " " + cl[0] + " " + cm[0][0] + " " + (cm2 != cm) + " " + cl.getClass().getSimpleName());
        int[] ov = {0, 1, 2, 3, 4, 5, 6, 7};
        System.arraycopy(ov, 0, ov, 2, 5);
        System.out.println(java.util.Arrays.toString(ov));
        System.arraycopy(ov, 3, ov, 1, 5);
        System.out.println(java.util.Arrays.toString(ov));
        t("ac1", () -> System.arraycopy(ov, 0, ov, 5, 4));
        t("ac2", () -> System.arraycopy(ov, -1, ov, 5, 1));
        t("ac3", () -> System.arraycopy(ov, 0, new long[9], 0, 1));
        t("ac4", () -> System.arraycopy("x", 0, ov, 0, 1));
        t("ac5", () -> System.arraycopy(ov, 0, "x", 0, 1));
        t("ac6", () -> System.arraycopy(null, 0, ov, 0, 1));
        t("ac7", () -> System.arraycopy(ov, 0, ov, 0, -1));
        t("ac8", () -> System.arraycopy(ov, 0, new Object[8], 0, 1));
        t("ac9", () -> System.arraycopy(ov, 8, ov, 8, 0));
        t("ac10", () -> System.arraycopy(ov, 9, ov, 8, 0));
        t("ac11", () -> System.arraycopy(new Object[3], 1, new String[2], 0, 3));
        Object[] mix = {"a", "b", 3, "d"};
        String[] dst = new String[4];
        t("partial", () -> System.arraycopy(mix, 0, dst, 0, 4));
        System.out.println(java.util.Arrays.toString(dst));
        int[] nul = null;
        t("len", () -> System.out.println(nul.length));
        System.out.println(new int[0].getClass().getInterfaces().length + " " + new String[0][0].getClass().getSuperclass()
            + " " + (new String[0] instanceof Object[]) + " " + int[].class.getModifiers());
    }
}
