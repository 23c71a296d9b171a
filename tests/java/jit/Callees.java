// SPDX-License-Identifier: Apache-2.0
// Compiled code calls what is no compiled method: methods of interfaces with more classes than a site remembers, method handles of
// every kind, natives and methods that the VM computes itself, with what they throw; and asks for classes of all kinds. What it prints is as
// on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05 -Xmx24m
// @modes asan stress
// @timeout 180
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.IntUnaryOperator;

public class Callees {
    static final int TURNS = 2000;

    // ---- interfaces ----
    interface Number { int value(int k); }
    interface Named { default String name() { return "named"; } }
    static class N0 implements Number { public int value(int k) { return k; } }
    static class N1 implements Number { public int value(int k) { return k + 1; } }
    static class N2 extends N1 { public int value(int k) { return k + 2; } }
    static class N3 extends N2 implements Named { }
    static class N4 extends N3 { public int value(int k) { return k + 4; } public String name() { return "four"; } }
    static class N5 extends N4 { public int value(int k) { return k + 5; } }
    static class N6 extends N5 { public int value(int k) { return k + 6; } }
    static class N7 extends N6 { public int value(int k) { return k + 7; } }
    static class N8 extends N7 { public int value(int k) { return k + 8; } }
    static class N9 extends N8 { public int value(int k) { return k + 9; } }
    static final Number[] NUMBERS = {new N0(), new N1(), new N2(), new N3(), new N4(), new N5(), new N6(), new N7(), new N8(), new N9(),
        k -> k * 10, k -> k * 11};

    static long values(int turns) {
        long sum = 0;
        for (int i = 0; i < turns; i++)
            sum += NUMBERS[i % NUMBERS.length].value(i) * (i & 3);
        return sum;
    }

    static int privately(Receiver r, int k) { return r.twice(k); }
    interface Receiver {
        int once(int k);
        private int half(int k) { return once(k) / 2; }
        default int twice(int k) { return half(k) + this.once(k); }
        default IntUnaryOperator then(Receiver next) { return k -> next.once(once(k)); }
    }

    // ---- classes ----
    static int kinds(Object o) {
        int k = 0;
        if (o instanceof N8) k |= 1;
        if (o instanceof N9) k |= 2;
        if (o instanceof Named) k |= 4;
        if (o instanceof Object[]) k |= 8;
        if (o instanceof Number[]) k |= 16;
        if (o instanceof N1[]) k |= 32;
        if (o instanceof Object[][]) k |= 64;
        if (o instanceof Cloneable[][]) k |= 128;
        if (o instanceof N9[]) k |= 256;
        if (o instanceof int[][]) k |= 512;
        if (o instanceof Serializable) k |= 1024;
        if (o instanceof String[]) k |= 2048;
        if (o instanceof Serializable[]) k |= 4096;
        return k;
    }
    static String cast(Object o, int how) {
        try {
            switch (how) {
            case 0: return ((N9) o).name();
            case 1: return "" + ((Number[]) o).length;
            case 2: return "" + ((Object[][]) o).length;
            case 3: return ((Named) o).name();
            default: return "" + ((Serializable[]) o).length;
            }
        } catch (ClassCastException e) {
            return "no";
        }
    }
    static boolean put(Object[] to, Object o) {
        try {
            to[0] = o;
            return to[0] == o;
        } catch (ArrayStoreException e) {
            return false;
        }
    }
    static final Object[] THINGS = {new N0(), new N3(), new N8(), new N9(), new N9[2], new N1[3], new Number[4], new int[2][2],
        new Object[1], new Object[2][1], new String[3][2], new String[5], "text", null, new int[3], new int[1][1][1]};
    static final Object[][] ARRAYS = {new Object[1], new Number[1], new N1[1], new N9[1], new Named[1], new Object[1][], new Number[1][],
        new Cloneable[1], new int[1][], new Serializable[1][], new String[1]};

    // ---- method handles ----
    static long nine(int a, long b, int c, int d, Object e, int f, int g, double h, int i) {
        return a + 2 * b + 3 * c + 4 * d + e.hashCode() + 6L * f + 7L * g + (long) (h * 8) + 9L * i;
    }
    static String text(String s, int k) { return s + k; }
    String own(String s) { return s + "!"; }
    private int secret(int k) { return k ^ 77; }
    static final MethodHandle NINE, TEXT, OWN, SECRET, VALUE, LENGTH, COMBINED, NEW, GUARD;
    static {
        try {
            MethodHandles.Lookup l = MethodHandles.lookup();
            NINE = l.findStatic(Callees.class, "nine", MethodType.methodType(long.class, int.class, long.class, int.class, int.class,
                Object.class, int.class, int.class, double.class, int.class));
            TEXT = l.findStatic(Callees.class, "text", MethodType.methodType(String.class, String.class, int.class));
            OWN = l.findVirtual(Callees.class, "own", MethodType.methodType(String.class, String.class));
            SECRET = l.findSpecial(Callees.class, "secret", MethodType.methodType(int.class, int.class), Callees.class);
            VALUE = l.findVirtual(Number.class, "value", MethodType.methodType(int.class, int.class));
            LENGTH = l.findVirtual(String.class, "length", MethodType.methodType(int.class));
            COMBINED = MethodHandles.filterReturnValue(TEXT, LENGTH);
            NEW = l.findConstructor(StringBuilder.class, MethodType.methodType(void.class, String.class));
            GUARD = MethodHandles.catchException(TEXT, NullPointerException.class,
                MethodHandles.dropArguments(MethodHandles.constant(String.class, "caught"), 0, NullPointerException.class));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
    static long handles(Callees c, int i) throws Throwable {
        long sum = (long) NINE.invokeExact(i, i * 3L, i + 1, i + 2, (Object) 5, i & 7, -i, i * 0.5, i);
        sum += ((String) TEXT.invokeExact("t", i)).hashCode();
        sum += ((String) OWN.invokeExact(c, "own" + (i & 3))).hashCode();
        sum += (int) SECRET.invokeExact(c, i);
        sum += (int) VALUE.invokeExact(NUMBERS[i % NUMBERS.length], i);
        sum += (int) COMBINED.invokeExact("combined", i);
        sum += ((StringBuilder) NEW.invokeExact("new")).append(i).length();
        sum += ((String) GUARD.invokeExact("g", i)).length();
        return sum;
    }
    static String nulls(Callees c) throws Throwable {
        String told = "";
        try { SECRET.invoke((Callees) null, 3); } catch (NullPointerException e) { told += "special "; }
        try { OWN.invoke((Callees) null, "x"); } catch (NullPointerException e) { told += "virtual "; }
        try { VALUE.invoke((Number) null, 3); } catch (NullPointerException e) { told += "interface "; }
        MethodHandle none = c == null ? TEXT : null;
        try { told += (String) none.invokeExact("a", 3); } catch (NullPointerException e) { told += "handle"; }
        return told;
    }

    // ---- natives and what the VM computes ----
    static long computed(Object o, int i) {
        int[] a = {1, 2, 3, 4, 5, 6, 7, 8};
        System.arraycopy(a, 0, a, i & 3, 4);
        long sum = a[4] + 10 * a[3];
        sum += System.identityHashCode(o) == o.hashCode() ? 1 : 0;
        sum += o.getClass() == Callees.class ? 2 : 0;
        sum += Thread.currentThread().isAlive() ? 4 : 0;
        sum += Double.doubleToRawLongBits(Math.sqrt(i)) >>> 40;
        sum += Float.floatToRawIntBits(i * 0.75f) >>> 9;
        sum += (long) (Math.sin(i) * 1000);
        sum += a.clone().length + (o.getClass().isInstance(o) ? 8 : 0);
        sum += Runtime.getRuntime().availableProcessors() > 0 ? 16 : 0;
        sum += (long) ((i * 1.25) % 7.5 * 4) + (long) (i * 0.5f % 3f * 2) + (long) (-i % 4.5);
        return sum;
    }
    static String badCopy(Object from, int at) {
        try {
            System.arraycopy(from, at, new int[4], 0, 3);
            return "copied";
        } catch (IndexOutOfBoundsException | ArrayStoreException | NullPointerException e) {
            return e.getClass().getSimpleName();
        }
    }

    public static void main(String[] args) throws Throwable {
        Callees c = new Callees();
        Receiver r = k -> k + 100, r2 = k -> k * 3;
        long values = 0, handles = 0, computed = 0, privately = 0, then = 0;
        StringBuilder told = new StringBuilder();
        for (int i = 0; i < TURNS; i++) {
            values += values(20);
            handles += handles(c, i);
            computed += computed(c, i);
            privately += privately((i & 1) == 0 ? r : r2, i);
            then += r.then(r2).applyAsInt(i) - r2.then(r).applyAsInt(i);
            if (i % 500 == 499)
                told.append(values).append(' ').append(handles).append(' ').append(computed).append(' ').append(privately)
                    .append(' ').append(then).append(' ').append(nulls(c)).append(' ').append(badCopy(new int[9], i % 9))
                    .append(badCopy("text", 0)).append(badCopy(null, 0)).append(badCopy(new long[9], 0)).append('\n');
            for (Object o : THINGS) {
                kinds(o);
                if (o != null)
                    cast(o, i % 5);
                for (Object[] to : ARRAYS)
                    put(to, o);
            }
        }
        for (Object o : THINGS) {
            told.append(kinds(o));
            for (int how = 0; how < 5; how++)
                told.append(o == null ? " -" : " " + cast(o, how));
            for (Object[] to : ARRAYS)
                told.append(put(to, o) ? '+' : '-');
            told.append('\n');
        }
        System.out.print(told);
    }
}
