// SPDX-License-Identifier: Apache-2.0
// Big arrays, overlapping copies of all types with collections, a million-long list, wide and deep trees.
// @flags -Xmx256m
// @timeout 120
public class BigThings {
    static class N {
        N next;
        int v;
    }
    static class Tree {
        Tree l;
        Tree r;
        Tree(int d) {
            if (d > 0) {
                l = new Tree(d - 1);
                r = new Tree(d - 1);
            }
        }
        int count() {
            return 1 + (l == null ? 0 : l.count() + r.count());
        }
    }

    static void copies() {
        int n = 5000;
        boolean[] z = new boolean[n];
        byte[] b = new byte[n];
        char[] c = new char[n];
        short[] s = new short[n];
        int[] i = new int[n];
        long[] l = new long[n];
        float[] f = new float[n];
        double[] d = new double[n];
        Object[] o = new Object[n];
        for (int k = 0; k < n; k++) {
            z[k] = k % 3 == 0;
            b[k] = (byte) k;
            c[k] = (char) k;
            s[k] = (short) k;
            i[k] = k;
            l[k] = k;
            f[k] = k;
            d[k] = k;
            o[k] = Integer.valueOf(k);
        }
        long h = 0;
        int[][] moves = {{0, 1, 4999}, {1, 0, 4999}, {10, 1000, 3000}, {1000, 10, 3000}, {3, 3, 100}, {4000, 0, 1000}, {0, 4999, 1}, {7, 8, 0}};
        for (int[] m : moves) {
            for (Object a : new Object[] {z, b, c, s, i, l, f, d, o}) {
                System.arraycopy(a, m[0], a, m[1], m[2]);
            }
            byte[][] junk = new byte[50][];
            for (int k = 0; k < 500; k++) {
                junk[k % 50] = new byte[1000];
            }
            System.gc();
            for (int k = 0; k < n; k++) {
                h = h * 31 + (z[k] ? 1 : 0) + b[k] + c[k] + s[k] + i[k] + l[k] + (long) f[k] + (long) d[k] + (Integer) o[k];
            }
            System.out.println(h);
        }
    }

    public static void main(String[] args) {
        copies();
        N head = null;
        for (int i = 0; i < 1000000; i++) {
            N x = new N();
            x.v = i;
            x.next = head;
            head = x;
        }
        System.gc();
        long s = 0;
        for (N x = head; x != null; x = x.next) {
            s += x.v;
        }
        System.out.println(s);
        N tail = new N();
        N first = tail;
        for (int i = 0; i < 500000; i++) {
            tail.next = new N();
            tail = tail.next;
            tail.v = i;
        }
        System.gc();
        s = 0;
        for (N x = first; x != null; x = x.next) {
            s += x.v;
        }
        System.out.println(s);
        first = null;
        Tree t = new Tree(16);
        System.gc();
        System.out.println(t.count());
        long[] big = new long[4 << 20];
        big[big.length - 1] = 5;
        Object[] refs = new Object[1 << 20];
        for (int i = 0; i < refs.length; i += 1000) {
            refs[i] = "r" + i;
        }
        System.gc();
        for (int i = 0; i < refs.length; i += 1000) {
            refs[i] = refs[i] + "x";
        }
        System.gc();
        int len = 0;
        for (Object o : refs) {
            len += o == null ? 0 : ((String) o).length();
        }
        System.out.println(big[big.length - 1] + " " + len + " " + (refs[5000].equals("r5000x")));
        for (int i = 0; i < 40; i++) {
            refs = new Object[2 << 20];
            refs[i] = big;
        }
        System.out.println(((long[]) refs[39]).length);
        System.out.println(head.v);
    }
}
