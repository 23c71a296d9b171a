// SPDX-License-Identifier: Apache-2.0
// Virtual dispatch: bridges, covariant returns, default method diamonds, statics, package and super calls, varargs.
// @quick
import java.util.*;

public class Dispatch {
    interface A {
        default String who() {
            return "A";
        }
        static String st() {
            return "A.st";
        }
    }
    interface B extends A {
        default String who() {
            return "B" + A.super.who();
        }
    }
    interface C extends A {
        default String who() {
            return "C";
        }
    }
    static class D implements B, C {
        public String who() {
            return B.super.who() + C.super.who();
        }
    }
    static class E extends D implements A {}
    static class F implements A, B {}
    static abstract class G implements A {
        abstract public String who();
    }
    static class H extends G {
        public String who() {
            return "H";
        }
    }
    static class P {
        public String who() {
            return "P";
        }
    }
    static class Q extends P implements A {}
    static abstract class Gen<T extends Comparable<T>> {
        abstract T make(T t);
        Object cov() {
            return "Gen";
        }
        static String hid() {
            return "Gen.hid";
        }
        String f = "Gen.f";
    }
    static class GI extends Gen<Integer> {
        Integer make(Integer t) {
            return t + 1;
        }
        Integer cov() {
            return 99;
        }
        static String hid() {
            return "GI.hid";
        }
        String f = "GI.f";
        String both() {
            return f + super.f + super.cov();
        }
    }
    static String over(Object o) {
        return "O";
    }
    static String over(String s) {
        return "S";
    }
    static String over(Integer s) {
        return "I";
    }
    static String over(long l) {
        return "l";
    }
    static String over(Object... l) {
        return "v" + (l == null ? "null" : l.length);
    }
    static String va(int a, int... r) {
        return a + Arrays.toString(r);
    }
    static class Ctor {
        Ctor() {
            log.append("Ctor(").append(name()).append(")");
        }
        String name() {
            return "ctor";
        }
    }
    static class CtorSub extends Ctor {
        String n = "set";
        final int k = 3;
        {
            log.append("{init ").append(n).append("}");
        }
        CtorSub() {
            super();
            log.append("Sub(").append(name()).append(")");
        }
        String name() {
            return n + k;
        }
    }
    static StringBuilder log = new StringBuilder();

    public static void main(String[] args) {
        A[] as = {new D(), new E(), new F(), new H(), new Q(), new A() {}};
        for (A a : as) {
            System.out.print(a.who() + " ");
        }
        System.out.println(A.st());
        Gen<Integer> g = new GI();
        System.out.println(g.make(1) + " " + g.cov() + " " + g.f + " " + ((GI) g).f + " " + ((GI) g).both() + " " + Gen.hid() + GI.hid());
        try {
            ((Gen) g).make("s");
        } catch (ClassCastException e) {
            System.out.println(e.getMessage());
        }
        byte b = 1;
        System.out.println(over("s") + over(1) + over(b) + over('c') + over(1.0) + over() + over((Object[]) null) + over(1, 2) + over((Object) "x"));
        System.out.println(va(1) + va(1, 2) + va(1, 2, 3) + va(1, new int[] {9}));
        new CtorSub();
        System.out.println(log);
        int n = 0;
        for (var m : GI.class.getDeclaredMethods()) {
            if (m.isBridge()) {
                n++;
            }
        }
        System.out.println("bridges " + n);
        Object[] os = {new Object[0], new int[0], "s", g};
        for (Object o : os) {
            System.out.print((o.equals(o)) + " " + (o.hashCode() == o.hashCode()) + " ");
        }
        System.out.println();
        CharSequence cs = "iface call to Object method";
        System.out.println(cs.toString().hashCode() == cs.hashCode());
        System.out.println(cs.getClass());
    }
}
