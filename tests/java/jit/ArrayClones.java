// SPDX-License-Identifier: Apache-2.0
// Clones of arrays where they are hot: of all types and lengths, of null, of several dimensions, through generic code, while collections run;
// a clone is another object with the same elements, its monitor and hash are its own.
// @quick
import java.util.Arrays;
import java.util.function.Supplier;

public class ArrayClones {
    enum Color { RED, GREEN, BLUE }
    static class Thing implements Cloneable {
        int[] data = {1, 2, 3};
        @Override
        public Thing clone() throws CloneNotSupportedException {
            Thing t = (Thing) super.clone();
            t.data = data.clone();
            return t;
        }
    }
    static class Plain {
        Object copy() throws CloneNotSupportedException { return super.clone(); }
    }

    static boolean[] of(boolean[] a) { return a.clone(); }
    static byte[] of(byte[] a) { return a.clone(); }
    static char[] of(char[] a) { return a.clone(); }
    static short[] of(short[] a) { return a.clone(); }
    static int[] of(int[] a) { return a.clone(); }
    static long[] of(long[] a) { return a.clone(); }
    static float[] of(float[] a) { return a.clone(); }
    static double[] of(double[] a) { return a.clone(); }
    static String[] of(String[] a) { return a.clone(); }
    static int[][] of(int[][] a) { return a.clone(); }
    static <T> T[] ofAny(T[] a) { return a.clone(); }

    static String text(Object a) {
        return a instanceof int[][] two ? Arrays.deepToString(two) : a instanceof Object[] o ? o.getClass().getSimpleName() + Arrays.toString(o)
            : a instanceof boolean[] z ? Arrays.toString(z) : a instanceof byte[] b ? Arrays.toString(b) : a instanceof char[] c ? Arrays.toString(c)
            : a instanceof short[] s ? Arrays.toString(s) : a instanceof int[] i ? Arrays.toString(i) : a instanceof long[] l ? Arrays.toString(l)
            : a instanceof float[] f ? Arrays.toString(f) : Arrays.toString((double[]) a);
    }
    static void check(String what, Object original, Supplier<Object> clone) {
        String right = text(original);
        int hash = System.identityHashCode(original);
        for (int i = 0; i < 2500; i++) {
            Object c = clone.get();
            if (c == original || c.getClass() != original.getClass() || System.identityHashCode(original) != hash || Thread.holdsLock(c)
                || (i % 50 == 0 && !text(c).equals(right))) {
                System.out.println(what + ": wrong at " + i);
                return;
            }
        }
        System.out.println(what + ": " + (right.length() > 60 ? right.hashCode() : right));
    }
    static int[] ints(int n) {
        int[] a = new int[n];
        Arrays.setAll(a, i -> i * 7 - 3);
        return a;
    }

    static int churn(String[] a, int n) { // what is cloned is young, and its elements are old and young
        int sum = 0;
        String[] last = a;
        for (int i = 0; i < n; i++) {
            String[] c = last.clone();
            c[i % c.length] = "n" + i;
            if (i % 100 == 0)
                last = c;
            sum += c[(i + 1) % c.length].length();
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        boolean[] z = {true, false, true};
        synchronized (z) {
            check("boolean", z, () -> of(z));
        }
        byte[] b = {1, -2, 3};
        check("byte", b, () -> of(b));
        char[] c = {'a', '\uffff'};
        check("char", c, () -> of(c));
        short[] s = {-1, 300};
        check("short", s, () -> of(s));
        long[] l = {Long.MIN_VALUE, 5};
        check("long", l, () -> of(l));
        float[] f = {Float.NaN, -0f, 1.5f};
        check("float", f, () -> of(f));
        double[] d = {Double.NaN, -0.0, 1e300};
        check("double", d, () -> of(d));
        for (int n : new int[] {0, 1, 2, 3, 7, 8, 100, 1023, 5000, 40_000}) {
            int[] a = ints(n);
            check("int " + n, a, () -> of(a));
        }
        String[] strings = {"x", null, "z"};
        check("String", strings, () -> of(strings));
        int[][] two = {{1}, null, {2, 3}};
        check("int[][]", two, () -> of(two));
        if (of(two)[2] != two[2])
            System.out.println("not shallow");
        Integer[] boxes = {1, 2, 1000};
        check("generic", boxes, () -> ofAny(boxes));
        check("generic String", strings, () -> ofAny(strings));
        check("enum", Color.values(), Color::values);
        for (int i = 0; i < 3000; i++) {
            Thing t = new Thing().clone();
            if (t.data.length != 3 || t.data == new Thing().data)
                System.out.println("thing");
        }
        int thrown = 0;
        for (int i = 0; i < 3000; i++)
            try {
                of(i % 3 == 0 ? (int[]) null : ints(2));
            } catch (NullPointerException e) {
                thrown++;
            }
        for (int i = 0; i < 3000; i++)
            try {
                new Plain().copy();
            } catch (CloneNotSupportedException e) {
                thrown++;
            }
        System.out.println(thrown + " " + churn(new String[] {"a", "bb", "ccc", "dddd", "e"}, 300_000));
        Object asObject = ints(3);
        System.out.println(ArrayClones.class.getDeclaredMethod("of", int[].class).invoke(null, asObject) != asObject);
    }
}
