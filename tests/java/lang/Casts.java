// SPDX-License-Identifier: Apache-2.0
// checkcast and instanceof over classes, interfaces and arrays, with the messages.
// @quick
import java.io.Serializable;
import java.util.*;

public class Casts {
    interface I {}
    interface J extends I {}
    static class A implements I {}
    static class B extends A implements J {}
    static final class C {}

    static void cast(Object o, Class<?> c) {
        String r;
        try {
            c.cast(o);
            r = "ok";
        } catch (ClassCastException e) {
            r = e.getMessage();
        }
        System.out.println(c.getSimpleName() + " " + c.isInstance(o) + " " + r);
    }

    static void t(Runnable r) {
        try {
            r.run();
            System.out.println("ok");
        } catch (ClassCastException e) {
            System.out.println(e.getMessage());
        }
    }

    public static void main(String[] args) {
        Object[] os = {null, new A(), new B(), new C(), "s", 1, new int[1], new A[1], new B[1], new A[1][1], new int[1][1], new Object[0],
            new I[0]};
        for (Object o : os) {
            System.out.println((o instanceof A) + " " + (o instanceof B) + " " + (o instanceof I) + " " + (o instanceof J) + " "
                + (o instanceof Object[]) + " " + (o instanceof A[]) + " " + (o instanceof I[]) + " " + (o instanceof int[]) + " "
                + (o instanceof Object[][]) + " " + (o instanceof Cloneable) + " " + (o instanceof Serializable) + " "
                + (o instanceof Serializable[]) + " " + (o instanceof Object) + " " + (o instanceof int[][]) + " "
                + (o instanceof Cloneable[]));
        }
        Object a = new A();
        Object n = null;
        t(() -> System.out.println((String) n));
        t(() -> System.out.println(((B) a).getClass()));
        t(() -> System.out.println(((String) a).length()));
        t(() -> System.out.println(((J) a).getClass()));
        t(() -> System.out.println(((int[]) a).length));
        t(() -> System.out.println(((A[]) (Object) new Object[1]).length));
        t(() -> System.out.println(((A[]) (Object) new B[1]).length));
        t(() -> System.out.println(((long[][]) (Object) new int[1][1]).length));
        t(() -> System.out.println(((Integer) (Object) "x").intValue()));
        t(() -> System.out.println(((Runnable) (Object) "x").hashCode()));
        t(() -> System.out.println(((Map.Entry<?, ?>) (Object) 'c').getKey()));
        t(() -> System.out.println(((java.sql.Date) (Object) "d").getTime()));
        cast("s", Integer.class);
        cast(1, Number.class);
        cast(new A(), I.class);
        cast(new int[0], long[].class);
        List raw = new ArrayList();
        raw.add(1);
        List<String> ls = raw;
        t(() -> System.out.println(ls.get(0).length()));
        System.out.println(I.class.isAssignableFrom(B.class) + " " + A[].class.isAssignableFrom(B[].class) + " "
            + Object.class.isAssignableFrom(int.class) + " " + int.class.isAssignableFrom(int.class) + " "
            + Object[].class.isAssignableFrom(int[].class) + " " + Cloneable.class.isAssignableFrom(int[].class));
    }
}
