// SPDX-License-Identifier: Apache-2.0
// Failing static initializers: the first error, the later ones, their messages and causes, over each kind of use.
// @quick
public class InitErrors {
    static class Ex {
        static int v;
        static {
            if (v == 0) {
                throw new RuntimeException("rt");
            }
        }
        int f;
        static void m() {}
    }
    static class Er {
        static int v;
        static {
            if (v == 0) {
                throw new StackOverflowError("so");
            }
        }
    }
    static class Sub extends Ex {
        static int w = 1;
    }
    static class Null {
        static Object o = null;
        static int h = o.hashCode();
    }
    static class Outer {
        static int x = Null.h;
    }
    interface Ifc {
        int q = Integer.parseInt("notint");
    }

    static void t(String w, Runnable r) {
        try {
            r.run();
            System.out.println(w + " fine");
        } catch (Throwable e) {
            System.out.print(w + ": " + e);
            for (Throwable c = e.getCause(); c != null; c = c.getCause()) {
                System.out.print(" <- " + c);
            }
            System.out.println(" at " + e.getStackTrace()[0].getMethodName());
        }
    }

    public static void main(String[] args) {
        t("sub", () -> System.out.println(Sub.w));
        t("sub again", () -> System.out.println(Sub.w));
        t("static get", () -> System.out.println(Ex.v));
        t("static put", () -> Ex.v = 1);
        t("call", () -> Ex.m());
        t("new", () -> new Ex());
        t("array", () -> System.out.println(new Ex[1].length));
        t("error", () -> System.out.println(Er.v));
        t("error again", () -> System.out.println(Er.v));
        t("outer", () -> System.out.println(Outer.x));
        t("outer again", () -> System.out.println(Outer.x));
        t("inner", () -> System.out.println(Null.h));
        t("iface", () -> System.out.println(Ifc.q));
        t("iface again", () -> System.out.println(Ifc.q));
        t("forName", () -> {
            try {
                Class.forName("InitErrors$Ex");
            } catch (ClassNotFoundException e) {
                throw new Error(e);
            }
        });
        t("newInstance", () -> {
            try {
                Ex.class.getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new Error(e);
            }
        });
        t("no class", () -> {
            try {
                Class.forName("no.Such");
            } catch (ClassNotFoundException e) {
                throw new Error(e);
            }
        });
    }
}
