// SPDX-License-Identifier: Apache-2.0
// Default methods of interfaces that a class adds to those of its superclass, called through each interface (JVMS 5.4.6).
// @quick
public class DefaultChosen {
    interface I {
        default String m() {
            return "I";
        }
    }

    interface J extends I {
        default String m() {
            return "J";
        }
    }

    interface K extends J {
        default String m() {
            return "K over " + J.super.m();
        }
    }

    static class A implements I {}

    static class B extends A implements J {}

    static class C extends B {}

    static class D extends C implements K {}

    static class E extends C {
        public String m() {
            return "E over " + super.m();
        }
    }

    static class F extends E implements K {}

    public static void main(String[] args) {
        for (I i : new I[] {new A(), new B(), new C(), new D(), new E(), new F()}) {
            System.out.println(i.getClass().getSimpleName() + ": " + i.m() + ", " + ((A) i).m() + (i instanceof J ? ", " + ((J) i).m() : ""));
        }
    }
}
