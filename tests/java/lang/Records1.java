// SPDX-License-Identifier: Apache-2.0
// Records: ObjectMethods bootstraps over all field types, compact constructors, generics, nesting, reflection.
// @quick
import java.util.*;

public class Records1 {
    record All(boolean z, byte b, char c, short s, int i, long l, float f, double d, String o, int[] a) {}
    record Empty() {}
    record Point(int x, int y) implements Comparable<Point> {
        static final Point ORIGIN = new Point(0, 0);
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("x " + x);
            }
        }
        Point(int both) {
            this(both, both);
        }
        double dist() {
            return Math.sqrt(x * x + y * y);
        }
        public int compareTo(Point p) {
            return Integer.compare(x, p.x);
        }
    }
    record Pair<A, B>(A a, B b) {
        public A a() {
            return a;
        }
        static <T> Pair<T, T> twin(T t) {
            return new Pair<>(t, t);
        }
    }
    record Over(int v) {
        public String toString() {
            return "over" + v;
        }
        public boolean equals(Object o) {
            return o instanceof Over;
        }
        public int hashCode() {
            return 7;
        }
    }
    record F(float f, double d) {}

    public static void main(String[] args) throws Exception {
        All x = new All(true, (byte) 1, 'c', (short) 2, 3, 4L, 5.5f, 6.5, "o", null);
        All y = new All(true, (byte) 1, 'c', (short) 2, 3, 4L, 5.5f, 6.5, new String("o"), null);
        System.out.println(x + " " + x.equals(y) + " " + (x.hashCode() == y.hashCode()) + " " + x.hashCode());
        System.out.println(x.equals(null) + " " + x.equals("x") + " " + x.equals(x));
        System.out.println(new Empty() + " " + new Empty().equals(new Empty()) + " " + new Empty().hashCode());
        System.out.println(new Point(3, 4).dist() + " " + new Point(5) + " " + Point.ORIGIN.compareTo(new Point(1)));
        try {
            new Point(-1, 0);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(new Pair<>(new Pair<>(1, null), "z") + " " + Pair.twin(2).equals(new Pair<>(2, 2)));
        System.out.println(new Over(3) + " " + new Over(1).equals(new Over(2)) + new Over(5).hashCode());
        System.out.println(new F(Float.NaN, -0.0).equals(new F(Float.NaN, -0.0)) + " " + new F(0f, 0.0).equals(new F(0f, -0.0)));
        record Local(List<String> l) {}
        System.out.println(new Local(List.of("a")));
        for (var c : All.class.getRecordComponents()) {
            System.out.print(c.getName() + ":" + c.getType().getSimpleName() + "=" + c.getAccessor().invoke(x) + " ");
        }
        System.out.println(All.class.isRecord() + " " + Records1.class.isRecord() + " "
            + Pair.class.getRecordComponents()[0].getGenericType());
        Set<Point> set = new HashSet<>(List.of(new Point(1, 2), new Point(2, 1)));
        System.out.println(set.contains(new Point(2, 1)) + " " + set.contains(new Point(9, 9)));
    }
}
