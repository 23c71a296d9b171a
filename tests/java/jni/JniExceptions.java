// SPDX-License-Identifier: Apache-2.0
// Exceptions across native code, monitors from native code, recursion through upcalls with StackOverflowError.
// @native jniexc
// @flags -Xss1m
// @quick
// @stderr
import java.util.*;

public class JniExceptions {
    static native int throwNew(Class<?> c, String m);
    static native void rethrow(Throwable t);
    static native Object catching(int i);
    static native int passing(int i);
    static native int nested(int d);
    static native void describe();
    static native boolean npeInit(Class<?> c);
    static native int monitors(Object o);
    static native int badExit(Object o);
    static native int recurse(int n);
    static native int overflow();
    static native void initFails();
    static native void abstractCall(Object o);
    static native Object instantiate(Class<?> c);
    static native Object construct(Class<?> c);

    static int depth;
    static void thrower(int i) {
        if (i == 1) {
            throw new IllegalArgumentException("thrown " + i);
        } else if (i == 2) {
            Object o = null;
            o.hashCode();
        } else if (i == 3) {
            throw new NoStack();
        }
    }
    static class NoStack extends RuntimeException {
        NoStack() {
            super("nostack", null, false, false);
        }
    }
    static class CtorThrows extends Exception {
        CtorThrows() {
            throw new UnsupportedOperationException("ctor");
        }
    }
    static class Failing {
        static int x = 1 / Integer.parseInt("0");
    }
    static abstract class Abs {
        abstract void go();
    }
    static class Conc extends Abs {
        void go() {
            System.out.println("conc");
        }
    }
    static int down(int d) {
        if (d == 0) {
            throw new ArithmeticException("bottom");
        }
        return nested(d);
    }
    static boolean held(Object o) {
        return Thread.holdsLock(o);
    }
    static int recurseUp(int n) {
        depth = n;
        return recurse(n + 1) + 1;
    }
    static int forever(int n) {
        return forever(n + 1) + 1;
    }
    interface T {
        Object run() throws Throwable;
    }
    static void t(String w, T r) {
        try {
            System.out.println(w + " " + r.run());
        } catch (Throwable e) {
            System.out.print(w + " " + e + " ");
            for (StackTraceElement s : e.getStackTrace()) {
                if (s.getClassName().equals("JniExceptions") && !s.getMethodName().startsWith("lambda") && !s.getMethodName().equals("t")) {
                    System.out.print(s.getMethodName() + ":" + s.getLineNumber() + (s.isNativeMethod() ? "n " : " "));
                }
            }
            System.out.println(e.getCause() == null ? "" : " <- " + e.getCause());
        }
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("jniexc");
        t("throwNew", () -> throwNew(IllegalStateException.class, "msg \u00e9"));
        t("throwNew null", () -> throwNew(java.io.IOException.class, null));
        t("throwNew noctor", () -> throwNew(CtorThrows.class, "m"));
        t("rethrow", () -> {
            rethrow(new Exception("re"));
            return 0;
        });
        t("catching", () -> catching(1));
        t("catching npe", () -> ((Throwable) catching(2)).getMessage());
        t("catching none", () -> catching(0));
        t("passing", () -> passing(1));
        t("passing none", () -> passing(0));
        t("nested", () -> nested(6));
        t("npeInit", () -> npeInit(CtorThrows.class));
        t("npeInit ok", () -> npeInit(Object.class));
        t("npeInit none", () -> npeInit(Integer.class));
        describe();
        Object o = new Object();
        t("monitors", () -> monitors(o) + " " + Thread.holdsLock(o));
        t("badExit", () -> badExit(o));
        Thread x = new Thread(() -> {
            synchronized (o) {
                System.out.println("free");
            }
        });
        x.start();
        x.join();
        int ok = 0;
        for (int i = 0; i < 10; i++) {
            try {
                recurse(0);
            } catch (StackOverflowError e) {
                if (depth > 100) {
                    ok++;
                }
            }
        }
        System.out.println("overflow through upcalls " + ok);
        int over = 0;
        for (int i = 0; i < 10; i++) {
            over += overflow();
        }
        System.out.println("overflow inside upcall " + over);
        t("initFails", () -> {
            initFails();
            return 0;
        });
        t("initFails again", () -> {
            initFails();
            return 0;
        });
        t("abstract", () -> {
            try {
                abstractCall(new Conc());
            } catch (AbstractMethodError e) {
                return e.getClass();
            }
            return 0;
        });
        t("instantiate", () -> instantiate(Abs.class));
        t("instantiate iface", () -> instantiate(Runnable.class));
        t("instantiate ok", () -> instantiate(Conc.class) instanceof Conc);
        t("construct", () -> construct(Abs.class));
        t("construct Class", () -> construct(Class.class));
        t("construct ok", () -> construct(Conc.class) instanceof Conc);
        System.out.println("end");
    }
}
