// SPDX-License-Identifier: Apache-2.0
// Small loops, whose bodies stand several times in compiled code: of all numbers of turns around the number of copies, with values that
// change places, that are read behind one exit, behind several, where exits meet, in the next loop, by calls and exceptions; with checks that
// fail in any turn, branches that never ran, conditions at the end, loops in loops. A thread that loops is stopped, looked at, interrupted.
// What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05 -Xmx24m
// @modes asan stress
// @timeout 180
public class Unrolled {
    static int field;
    static volatile boolean end;

    static int sum(int[] a, int n) {
        int s = 0;
        for (int i = 0; i < n; i++)
            s += a[i];
        return s;
    }
    static long sumAll(long[] a) {
        long s = 1;
        for (long x : a)
            s = s * 31 + x;
        return s;
    }
    static int find(int[] a, int key) {
        for (int i = 0; i < a.length; i++)
            if (a[i] == key)
                return i;
        return -1;
    }
    static int met(int[] a, int key) { // ways of two exits meet, with what the loop has computed
        int i = 0, last = 7;
        while (i < a.length) {
            last = a[i] ^ i;
            if (a[i] == key)
                break;
            i++;
        }
        return i * 1000 + last;
    }
    static int fib(int n) {
        int a = 0, b = 1;
        for (int i = 0; i < n; i++) {
            int c = a + b;
            a = b;
            b = c;
        }
        return a * 31 + b;
    }
    static int rotate(int n) {
        int a = 1, b = 2, c = 3, d = 4;
        do {
            int t = a;
            a = b;
            b = c;
            c = d;
            d = t;
        } while (--n > 0);
        return a * 1000 + b * 100 + c * 10 + d;
    }
    static float product(float[] a, float[] b) {
        float s = 0;
        for (int i = 0; i < a.length; i++)
            s += a[i] * b[i];
        return s;
    }
    static void axpy(double[] y, double[] x, double k) {
        for (int i = 0; i < y.length; i++)
            y[i] += k * x[i];
    }
    static int bytes(byte[] b, char[] c, int from) {
        int h = 0;
        for (int i = from; i >= 0; i -= 2) {
            h = h * 31 + (b[i] & 255);
            c[i] = (char) (h >> 3);
        }
        return h;
    }
    static int twoLoops(int n) {
        int x = 1, i = 0;
        for (; i < n; i++)
            x = x * 3 + i;
        for (; i < n * 2; i++)
            x ^= x >>> 2;
        return x + i;
    }
    static int nested(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            int k = i;
            for (int j = 0; j <= i; j++) {
                k += j * i;
                if (k > 5000)
                    k -= 4999;
            }
            s = s * 7 + k;
        }
        return s;
    }
    static int labelled(int[] a, int n) {
        int s = 0;
        outer:
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < a.length; j++) {
                if (a[j] < 0)
                    continue outer;
                if (a[j] > 90)
                    break outer;
                s += a[j] + i;
            }
            s += 100000;
        }
        return s;
    }
    static String thrown(int[] a, int n) {
        int i = 0, s = 0;
        try {
            for (; i < n; i++)
                s += a[i] / (a[i] - 50);
            return "all " + s;
        } catch (ArrayIndexOutOfBoundsException e) {
            return "index " + i + " " + s + " " + e.getMessage();
        } catch (ArithmeticException e) {
            return "zero " + i + " " + s;
        }
    }
    static int element(int[] a, int i) { return a[i]; }
    static String caughtBehind(int[] a, int n) { // by who called what is inlined
        int i = 0, s = 0;
        try {
            for (; i < n; i++)
                s += element(a, i) * i;
        } catch (ArrayIndexOutOfBoundsException e) {
            return i + " " + s + " " + e.getMessage();
        }
        return "" + s;
    }
    static int caughtWithin(int[] a, int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            try {
                s += element(a, i) + i;
            } catch (ArrayIndexOutOfBoundsException e) {
                s = s * 3 + i;
            }
        }
        return s;
    }
    static int twoWays(int p, int q) { // both lead to one place, with other values
        int y;
        joined:
        {
            int x;
            if (q > 5) {
                x = 2;
            } else {
                x = 1;
                y = 1;
                if (p > 0)
                    break joined;
            }
            y = 7;
            if (x == 2)
                return 100;
        }
        return y;
    }
    static int rare(int[] a, int odd) { // what first comes late
        int s = 0;
        for (int i = 0; i < a.length; i++) {
            if (a[i] == odd)
                s += Late.value(i, s);
            s += i;
        }
        return s;
    }
    static class Late {
        static int value(int i, int s) { return i * 1000000 + s; }
    }
    static int fields(int n) {
        field = n;
        while (field > 3)
            field -= 3;
        return field;
    }
    static int walked(Node n) {
        int depth = 0;
        for (; n != null; n = n.next)
            depth += n.value;
        return depth;
    }
    static class Node {
        Node next;
        int value;
        Node(Node next, int value) {
            this.next = next;
            this.value = value;
        }
    }
    static int inlined(int[] a) {
        int s = 0;
        for (int i = 0; i < a.length; i++)
            s = mixed(s, at(a, i));
        return s;
    }
    static int at(int[] a, int i) { return a[i] + 1; }
    static int mixed(int s, int x) { return s * 17 ^ x; }
    static long switched(int n) {
        long s = 0;
        for (int i = 0; i < n; i++)
            switch (i & 3) {
                case 0: s += 5; break;
                case 1: s ^= i; break;
                case 2: s *= 3; break;
                default: s -= i;
            }
        return s;
    }

    static long all(int i, int[] a, long[] l, float[] f, double[] d, byte[] b, char[] c, Node list) {
        long s = sum(a, Math.min(i, a.length)) + sumAll(l) + find(a, i) * 3 + met(a, i) * 5 + fib(i) * 7L + rotate(i) * 11L;
        axpy(d, d, 0.01);
        s += (long) (product(f, f) * 16) + (long) (d[i % d.length] * 8) + bytes(b, c, i % b.length) + twoLoops(i) + nested(i % 13);
        return s + labelled(a, i % 5) + thrown(a, i % 40).hashCode() + rare(a, -1) + fields(i) + walked(list) + inlined(a) + switched(i % 23)
            + caughtBehind(a, i % a.length).hashCode() + caughtWithin(a, i % a.length) + twoWays(i & 1, i & 7);
    }

    static void looked() throws Exception {
        end = false;
        long[] turns = {0};
        Thread t = new Thread(() -> {
            while (!end)
                turns[0] += sum(new int[1000], 1000) + fib(1000) - fib(1000) + 1;
        });
        t.start();
        int seen = 0;
        for (int i = 0; i < 50; i++) {
            seen += t.getStackTrace().length > 0 ? 1 : 0;
            if (i % 10 == 0)
                System.gc();
            Thread.sleep(1);
        }
        end = true;
        t.join();
        System.out.println("seen " + (seen > 25) + " " + (turns[0] > 0));
    }

    public static void main(String[] args) throws Exception {
        Node list = null;
        long s = 0;
        for (int i = 0; i < 3000; i++) {
            int n = i % 31;
            int[] a = new int[n + 1];
            long[] l = new long[n];
            float[] f = new float[n];
            double[] d = new double[n + 1];
            byte[] b = new byte[n + 1];
            for (int k = 0; k < n; k++) {
                a[k] = (k * 7 + i) % 90;
                l[k] = ~a[k];
                f[k] = k / 4f;
                d[k] = k * 0.5;
                b[k] = (byte) (k * i);
            }
            list = n == 0 ? null : new Node(list, i % 5);
            s = s * 31 + all(i % 60, a, l, f, d, b, new char[n + 1], list);
        }
        int[] odd = {1, 2, 3, 4, 5, 60, 7, 8, 9};
        for (int n = 0; n < 14; n++)
            System.out.print(caughtBehind(new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, n) + ", " + caughtWithin(odd, n) + ", ");
        System.out.println(s + " " + rare(odd, 60) + " " + rare(odd, 9) + " " + rare(odd, 1) + " " + thrown(odd, 20) + " " + thrown(new int[] {50}, 1));
        looked();
    }
}
