// SPDX-License-Identifier: Apache-2.0
// Sealed hierarchies, pattern instanceof, permitted subclasses by reflection.
// @quick
public class SealedPatterns {
    sealed interface Shape permits Circle, Square, Odd {}
    record Circle(double r) implements Shape {}
    record Square(double s) implements Shape {}
    static non-sealed class Odd implements Shape {}
    static final class Odder extends Odd {
        int v = 3;
    }

    static double area(Shape s) {
        if (s instanceof Circle c) {
            return c.r() * c.r() * 3;
        } else if (s instanceof Square q && q.s() > 1) {
            return q.s() * q.s();
        } else if (!(s instanceof Odder o)) {
            return -1;
        } else {
            return o.v;
        }
    }

    public static void main(String[] args) {
        for (Shape s : new Shape[] {new Circle(2), new Square(3), new Square(1), new Odd(), new Odder()}) {
            System.out.println(s.getClass().getSimpleName() + " " + area(s));
        }
        System.out.println(Shape.class.isSealed() + " " + Odd.class.isSealed() + " " + Shape.class.getPermittedSubclasses().length);
        for (Class<?> c : Shape.class.getPermittedSubclasses()) {
            System.out.println(c);
        }
        System.out.println(Odd.class.getPermittedSubclasses() == null);
        Object o = "str";
        if (o instanceof String s && s.length() == 3 && o instanceof CharSequence cs) {
            System.out.println(s + cs.charAt(0));
        }
    }
}
