// SPDX-License-Identifier: Apache-2.0
// Dynamic proxies: dispatch, Object methods, primitives, declared and undeclared exceptions, default methods.
// @quick
import java.io.IOException;
import java.lang.reflect.*;
import java.util.*;

public class Proxies {
    interface A {
        int prim(int a, long b, double c, char d, boolean e);
        String obj(Object o, String... v);
        void thr() throws IOException;
        void nothr();
        default String def(int i) {
            return "def" + i + obj(null);
        }
    }
    interface B {
        String obj(Object o, String... v);
        long big();
    }
    private interface Hidden {
        int h();
    }

    public static void main(String[] args) throws Throwable {
        InvocationHandler ih = (p, m, a) -> {
            switch (m.getName()) {
            case "prim": return (int) a[0] + (int) (long) a[1] + (int) (double) a[2] + (char) a[3] + ((boolean) a[4] ? 1 : 0);
            case "obj": return m.getDeclaringClass().getSimpleName() + Arrays.deepToString(a);
            case "thr": throw new IOException("declared");
            case "nothr": throw new IOException("undeclared");
            case "def": return InvocationHandler.invokeDefault(p, m, a);
            case "hashCode": return 42;
            case "equals": return p == a[0];
            case "toString": return "proxy!";
            case "big": return args.length == 0 ? null : "x";
            case "h": return 9;
            default: return null;
            }
        };
        Object o = Proxy.newProxyInstance(Proxies.class.getClassLoader(), new Class<?>[] {A.class, B.class}, ih);
        A a = (A) o;
        System.out.println(a.prim(1, 2, 3.5, 'a', true) + " " + a.obj("x", "y", "z") + " " + ((B) o).obj(1) + " " + a.def(3));
        System.out.println(o + " " + o.hashCode() + " " + o.equals(o) + " " + Proxy.isProxyClass(o.getClass()) + " " + (Proxy.getInvocationHandler(o) == ih));
        try {
            a.thr();
        } catch (IOException e) {
            System.out.println(e);
        }
        try {
            a.nothr();
        } catch (UndeclaredThrowableException e) {
            System.out.println(e + " " + e.getCause());
        }
        try {
            ((B) o).big();
        } catch (NullPointerException e) {
            System.out.println("NPE unbox");
        }
        Hidden h = (Hidden) Proxy.newProxyInstance(Proxies.class.getClassLoader(), new Class<?>[] {Hidden.class}, ih);
        System.out.println(h.h() + " " + Modifier.isPublic(h.getClass().getModifiers()) + " " + Modifier.isFinal(o.getClass().getModifiers()));
        try {
            Proxy.newProxyInstance(Proxies.class.getClassLoader(), new Class<?>[] {String.class}, ih);
        } catch (IllegalArgumentException e) {
            System.out.println(e);
        }
        try {
            Proxy.newProxyInstance(Proxies.class.getClassLoader(), new Class<?>[] {A.class, A.class}, ih);
        } catch (IllegalArgumentException e) {
            System.out.println(e);
        }
        System.out.println(Arrays.toString(o.getClass().getInterfaces()) + o.getClass().getSuperclass());
        Runnable r = (Runnable) Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, ih);
        r.run();
        System.out.println(r.getClass().getModule().isNamed());
    }
}
