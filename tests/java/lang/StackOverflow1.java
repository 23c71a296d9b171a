// SPDX-License-Identifier: Apache-2.0
// StackOverflowError caught again and again: plain recursion, through reflection, lambdas, finally, constructors and toString;
// and 10,000 deep recursion that must succeed.
// @flags -Xss2m
// @timeout 120
import java.lang.reflect.Method;

public class StackOverflow1 {
    static int depth;
    static int sum;
    static Method self;

    static void plain() {
        depth++;
        plain();
    }
    static int wide(long a, double b, Object c) {
        depth++;
        return wide(a + 1, b * 2, c) + 1;
    }
    static void refl() throws Exception {
        depth++;
        self.invoke(null);
    }
    static void fin() {
        depth++;
        try {
            fin();
        } finally {
            sum++;
        }
    }
    static class Chain {
        Chain c;
        Chain() {
            depth++;
            c = new Chain();
        }
    }
    static class Str {
        public String toString() {
            depth++;
            return "s" + this;
        }
    }
    synchronized void sync() {
        depth++;
        sync();
    }
    static int ok(int n) {
        return n == 0 ? 0 : 1 + ok(n - 1);
    }
    interface R {
        void run() throws Exception;
    }

    static void t(String w, int min, R r) {
        int good = 0;
        for (int i = 0; i < 10; i++) {
            depth = 0;
            try {
                r.run();
            } catch (Throwable e) {
                Throwable x = e;
                while (x.getCause() != null) {
                    x = x.getCause();
                }
                if (x instanceof StackOverflowError && depth > min) {
                    good++;
                } else {
                    System.out.println(w + " " + x + " " + depth);
                }
            }
        }
        System.out.println(w + " " + good);
    }

    public static void main(String[] args) throws Exception {
        self = StackOverflow1.class.getDeclaredMethod("refl");
        t("plain", 1000, StackOverflow1::plain);
        t("wide", 1000, () -> wide(1, 2, "x"));
        Thread small = new Thread(null, () -> t("refl", 50, StackOverflow1::refl), "small", 384 << 10);
        small.start();
        small.join();
        t("fin", 1000, StackOverflow1::fin);
        t("ctor", 1000, Chain::new);
        t("str", 100, () -> new Str().toString());
        StackOverflow1 o = new StackOverflow1();
        t("sync", 1000, o::sync);
        Thread other = new Thread(() -> {
            synchronized (o) {
                System.out.println("monitor is free again");
            }
        });
        other.start();
        other.join();
        int n = 0;
        for (int i = 0; i < 200; i++) {
            n += ok(10000);
        }
        System.out.println(n);
        int[] d = new int[1];
        Thread big = new Thread(null, () -> d[0] = ok(200000), "big", 256 << 20);
        big.start();
        big.join();
        System.out.println(d[0]);
        try {
            plain();
        } catch (StackOverflowError e) {
            System.out.println(e + " " + e.getStackTrace().length + " " + e.getStackTrace()[500].getMethodName());
        }
    }
}
