// SPDX-License-Identifier: Apache-2.0
// Stack traces of own frames with line numbers, through lambdas, constructors, clinit, reflection, native calls and threads.
// @quick
// @modes moving
import java.lang.reflect.InvocationTargetException;
import java.util.*;

public class StackTraces {
    static void show(Throwable t) {
        System.out.println(t);
        for (StackTraceElement e : t.getStackTrace()) {
            if (e.getClassName().startsWith("StackTraces")) {
                System.out.println("  " + e.getClassName().replaceAll("Lambda.*", "L") + "." + e.getMethodName().replaceAll("\\d+$", "N") + ":"
                    + e.getFileName() + ":" + e.getLineNumber() + (e.isNativeMethod() ? " native" : ""));
            }
        }
        if (t.getCause() != null) {
            System.out.print(" cause ");
            show(t.getCause());
        }
    }

    static class Ctor {
        int x = fail(
            1);
        Ctor() {
            System.out.println("no");
        }
    }

    static class Cl {
        static {
            Object o = null;
            o.toString();
        }
        static void m() {}
    }

    static int fail(int n) {
        int[] a = new int[n];
        return a
            [n]
            + 1;
    }

    static void viaLambda() {
        Runnable r = () -> fail(2);
        r.run();
    }

    static int multi(int x) {
        return x +
            fail(3) +
            x;
    }

    static void recur(int n) {
        if (n > 0) {
            recur(n - 1);
        } else {
            throw new UnsupportedOperationException("bottom");
        }
    }

    interface Dflt {
        default void d() {
            throw new IllegalStateException("default");
        }
    }

    public static void main(String[] args) throws Exception {
        Runnable[] rs = {
            () -> new Ctor(), () -> Cl.m(), () -> viaLambda(), () -> multi(1), () -> recur(3), () -> new Dflt() {}.d(),
            () -> List.of(1, 2).forEach(x -> fail(x)), () -> new TreeSet<>((a, b) -> fail(1)).add("x"),
            () -> System.out.println("a".compareTo(null)), () -> Integer.parseInt("x")
        };
        for (Runnable r : rs) {
            try {
                r.run();
            } catch (Throwable t) {
                show(t);
            }
        }
        try {
            StackTraces.class.getDeclaredMethod("recur", int.class).invoke(null, 1);
        } catch (InvocationTargetException e) {
            show(e);
        }
        Thread t = new Thread(() -> show(new Exception("in thread")), "T");
        t.start();
        t.join();
        show(new Throwable("main"));
        Throwable e = new Throwable("made");
        e.setStackTrace(new StackTraceElement[] {new StackTraceElement("StackTracesX", "m", "F.java", 7)});
        show(e);
        StackTraceElement[] st = Thread.currentThread().getStackTrace();
        System.out.println(st[0].getMethodName() + " " + st[1].getMethodName() + " " + st[1]);
        StackTraceElement str = new Throwable().getStackTrace()[0];
        System.out.println(str.getModuleName() + " " + str.getClassLoaderName());
        try {
            List.of().iterator().next();
        } catch (NoSuchElementException x) {
            StackTraceElement top = x.getStackTrace()[0];
            System.out.println(top.getModuleName() + " " + top.getClassName() + " " + top.getMethodName());
        }
    }
}
