// SPDX-License-Identifier: Apache-2.0
// Tests of classes that have no subclasses, in branches and as values; stores into arrays whose class is known; Class.isPrimitive.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05
// @modes asan stress
import java.util.*;

public class OneClass {
    static final class Leaf {
        final int x;

        Leaf(int x) {
            this.x = x;
        }
    }

    static final Object[] VALUES = {null, new Leaf(1), "text", 7, 8L, new int[1], new long[1], new String[1], new Object[1], new Leaf[2], new Integer[0],
        new int[1][1], new String[1][1], Leaf.class, int.class};
    static Class<?>[] classes = {int.class, void.class, Object.class, int[].class, Runnable.class, boolean.class, Integer.class};

    static int branches(Object o) {
        int r = 0;
        if (o instanceof Leaf)
            r += ((Leaf) o).x;
        if (!(o instanceof String))
            r += 2;
        if (o instanceof Integer i && i > 3)
            r += 4;
        if (o instanceof int[] a)
            r += 8 * a.length;
        if (!(o instanceof long[]))
            r += 16;
        if (o instanceof String[])
            r += 32;
        if (o instanceof Leaf[] a && a.length == 2)
            r += 64;
        if (o instanceof int[][] || o instanceof String[][])
            r += 128;
        while (o instanceof Long l && r < 100_000)
            r += l.intValue() * 1000;
        return o == null || o instanceof Class ? r | 1 << 20 : r;
    }

    static boolean isLeaf(Object o) {
        return o instanceof Leaf;
    }

    static String values(Object o) {
        boolean s = o instanceof String, i = o instanceof int[], l = isLeaf(o), n = o instanceof Integer[];
        return (s ? "s" : "-") + (i ? "i" : "-") + (l ? "l" : "-") + (n ? "n" : "-");
    }

    static int notNull(Object o) {
        Object mine = new Leaf(3);
        int r = mine instanceof Leaf ? 1 : 0;
        r += o.hashCode() == 0 ? 0 : 0;
        return o instanceof Leaf ? r + 2 : r; // it is not null here
    }

    static String casts(Object o) {
        StringBuilder made = new StringBuilder();
        try {
            made.append(((Leaf) o) == null ? "null" : "leaf");
        } catch (ClassCastException e) {
            made.append("no leaf");
        }
        try {
            made.append(((int[]) o) == null ? " null" : " ints");
        } catch (ClassCastException e) {
            made.append(" no ints");
        }
        try {
            String[] a = (String[]) o;
            made.append(a == null ? " null" : " strings");
        } catch (ClassCastException e) {
            made.append(" no strings");
        }
        return made.toString();
    }

    static int stores(Object o) {
        Object[] any = {o, null, o};
        Object[][] two = {any, {o}};
        int stored = any.length + two.length;
        Object[] some = new Leaf[3];
        some[0] = new Leaf(2);
        some[1] = null;
        try {
            some[2] = o;
            stored += 10;
        } catch (ArrayStoreException e) {
            stored += 100;
        }
        Object[] numbers = new Number[2];
        try {
            numbers[0] = Integer.valueOf(1);
            numbers[1] = o;
            stored += 1000;
        } catch (ArrayStoreException e) {
            stored += 10000;
        }
        Object[] arrays = new Object[1][];
        try {
            arrays[0] = o;
            stored += 100_000;
        } catch (ArrayStoreException e) {
            stored += 200_000;
        }
        return stored + (any[2] == o ? 1_000_000 : 0) + ((Leaf) some[0]).x;
    }

    static String primitives(Class<?> c) {
        return int.class.isPrimitive() + " " + String.class.isPrimitive() + " " + void.class.isPrimitive() + " " + int[].class.isPrimitive() + " "
            + c.isPrimitive();
    }

    static int arrays(int n) {
        return new int[0].length + new byte[3].length + new char[5][7].length + new Object[4].length + new long[511].length + new long[512].length
            + new long[513].length + new byte[4096].length + new byte[4097].length + new double[n].length;
    }

    static String isPrimitive(Class<?> c) {
        try {
            return String.valueOf(c.isPrimitive());
        } catch (NullPointerException e) {
            return "null";
        }
    }

    public static void main(String[] args) {
        for (int turn = 0; turn < 300; turn++) {
            StringBuilder made = new StringBuilder();
            for (Object o : VALUES) {
                made.append(branches(o)).append(' ').append(values(o)).append(' ').append(casts(o)).append(' ').append(stores(o));
                made.append(o == null ? "" : " " + notNull(o)).append('\n');
            }
            for (Class<?> c : classes)
                made.append(primitives(c)).append('\n');
            made.append(isPrimitive(null)).append(' ').append(isPrimitive(turn % 2 == 0 ? byte.class : Byte.class)).append(' ').append(arrays(turn % 7));
            if (turn < 2 || turn > 297)
                System.out.println(made);
            else if (turn % 100 == 0)
                System.out.println(made.toString().hashCode());
        }
    }
}
