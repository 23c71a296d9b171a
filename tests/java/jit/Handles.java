// SPDX-License-Identifier: Apache-2.0
// Calls by method handles, lambdas, string concatenation and variable handles that are constants of the code; final fields that are. What
// is not constant, null, of another type, or throws; targets of call sites that are set; classes of a loader that is dropped. What it
// prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:ProfileThreshold=1 -XX:CompileThresholdScaling=0.05 -Xmx32m
// @modes asan stress
// @timeout 180
import java.lang.invoke.*;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.function.*;

public class Handles {
    static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
    static final MethodHandle STATIC, VIRTUAL, SPECIAL, INTERFACE, MAKES, BOUND, GUARD, FOLDED, ADAPTED, FAILS;
    static final VarHandle INT, BYTE, BOOL, REFERENCE, ELEMENT, STATIC_LONG;
    static final MutableCallSite MUTABLE = new MutableCallSite(MethodType.methodType(int.class, int.class));
    static final VolatileCallSite VOLATILE = new VolatileCallSite(MethodType.methodType(int.class, int.class));
    static final MethodHandle BY_MUTABLE = MUTABLE.dynamicInvoker(), BY_VOLATILE = VOLATILE.dynamicInvoker();
    static final int NUMBER;
    static final byte SMALL = Byte.parseByte("-7");
    static final char CHAR = "\uffee".charAt(0);
    static final short SHORT = Short.parseShort("-300");
    static final boolean TRUE = Boolean.parseBoolean("true");
    static final float FLOAT = Float.parseFloat("1.5");
    static final double DOUBLE = Double.parseDouble("-0.0");
    static final long LONG = Long.parseLong("-81985529216486896");
    static final Object NULL = System.getProperty("there is no such property");
    static final int[] ARRAY = {1, 2, 3};
    static long counter;
    int field = 1;
    byte small;
    boolean flag;
    Object reference = "first";

    static {
        try {
            MethodType unary = MethodType.methodType(int.class, int.class);
            STATIC = LOOKUP.findStatic(Handles.class, "twice", unary);
            VIRTUAL = LOOKUP.findVirtual(Shape.class, "area", unary);
            SPECIAL = MethodHandles.privateLookupIn(Square.class, LOOKUP).findSpecial(Square.class, "side", MethodType.methodType(int.class), Square.class);
            INTERFACE = LOOKUP.findVirtual(Named.class, "name", MethodType.methodType(String.class));
            MAKES = LOOKUP.findConstructor(Square.class, MethodType.methodType(void.class, int.class));
            BOUND = MethodHandles.insertArguments(LOOKUP.findStatic(Math.class, "max",
                    MethodType.methodType(int.class, int.class, int.class)), 1, 1000);
            FAILS = LOOKUP.findStatic(Handles.class, "fails", unary);
            GUARD = MethodHandles.guardWithTest(LOOKUP.findStatic(Handles.class, "isEven",
                    MethodType.methodType(boolean.class, int.class)), STATIC, BOUND);
            FOLDED = MethodHandles.foldArguments(LOOKUP.findStatic(Math.class, "subtractExact",
                    MethodType.methodType(int.class, int.class, int.class)), STATIC);
            ADAPTED = MethodHandles.catchException(MethodHandles.filterReturnValue(FAILS, STATIC), IllegalStateException.class,
                    MethodHandles.dropArguments(MethodHandles.constant(int.class, -1), 0, IllegalStateException.class));
            INT = LOOKUP.findVarHandle(Handles.class, "field", int.class);
            BYTE = LOOKUP.findVarHandle(Handles.class, "small", byte.class);
            BOOL = LOOKUP.findVarHandle(Handles.class, "flag", boolean.class);
            REFERENCE = LOOKUP.findVarHandle(Handles.class, "reference", Object.class);
            ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);
            STATIC_LONG = LOOKUP.findStaticVarHandle(Handles.class, "counter", long.class);
            NUMBER = 77;
            MUTABLE.setTarget(STATIC);
            VOLATILE.setTarget(STATIC);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    interface Named {
        String name();
    }
    static class Shape {
        int area(int k) { return k; }
    }
    static class Square extends Shape implements Named {
        final int side;
        Square(int side) { this.side = side; }
        int side() { return side; }
        @Override int area(int k) { return side * side + k; }
        public String name() { return "square " + side; }
    }
    static class Circle extends Shape implements Named {
        @Override int area(int k) { return 3 - k; }
        public String name() { return "circle"; }
        int side() { return -1; }
    }
    record Pair(int a, String b) { }
    static final Pair PAIR = new Pair(5, "five");

    static int twice(int x) { return x * 2; }
    static int thrice(int x) { return x * 3; }
    static boolean isEven(int x) { return (x & 1) == 0; }
    static int fails(int x) {
        if (x % 7 == 3)
            throw new IllegalStateException("at " + x);
        return x + 1;
    }

    static String handles(int i) throws Throwable {
        Shape[] shapes = {new Shape(), new Square(i & 15), new Circle()};
        Shape shape = shapes[i % 3];
        int a = (int) STATIC.invokeExact(i);
        int b = (int) VIRTUAL.invokeExact(shape, i);
        int c = (int) SPECIAL.invokeExact((Square) shapes[1]);
        String d = i % 3 == 0 ? "none" : (String) INTERFACE.invokeExact((Named) shape);
        Square e = (Square) MAKES.invokeExact(i);
        long f = (int) BOUND.invokeExact(i) + (int) GUARD.invokeExact(i) + (int) FOLDED.invokeExact(i);
        Object g = STATIC.invoke(Integer.valueOf(i));
        long h = (long) ADAPTED.invoke((short) i);
        return a + " " + b + " " + c + " " + d + " " + e.side + " " + f + " " + g + " " + h;
    }

    static String wrong(int i) {
        String s = "";
        try {
            s += (int) VIRTUAL.invokeExact((Shape) null, i);
        } catch (Throwable t) {
            s += t.getClass().getSimpleName();
        }
        try {
            s += (long) STATIC.invokeExact(i);
        } catch (Throwable t) {
            s += " " + t.getMessage();
        }
        try {
            s += (int) FAILS.invokeExact(i);
        } catch (Throwable t) {
            s += " " + t.getMessage() + " " + t.getStackTrace()[0].getMethodName() + t.getStackTrace()[1].getMethodName();
        }
        try {
            s += " " + (int) INT.getVolatile((Handles) null);
        } catch (Throwable t) {
            s += " " + t.getClass().getSimpleName();
        }
        try {
            s += " " + (int) INT.get((Object) "a string");
        } catch (Throwable t) {
            s += " " + t.getClass().getSimpleName();
        }
        try {
            s += " " + (long) ELEMENT.get(new long[2], i & 3);
        } catch (Throwable t) {
            s += " " + t.getMessage();
        }
        return s;
    }

    static String variables(Handles o, int i) {
        INT.setVolatile(o, (int) INT.getVolatile(o) + 3);
        boolean swapped = INT.compareAndSet(o, o.field, i);
        int before = (int) INT.getAndAdd(o, 5);
        byte small = (byte) BYTE.getAndAdd(o, (byte) 100);
        BOOL.setOpaque(o, i % 3 == 0);
        boolean or = (boolean) BOOL.getAndBitwiseOr(o, i % 2 == 0);
        Object old = REFERENCE.getAndSet(o, "value " + i);
        Object exchanged = REFERENCE.compareAndExchange(o, old, "never");
        long[] array = {1, 2, 3};
        ELEMENT.setRelease(array, i % 3, (long) ELEMENT.getAcquire(array, (i + 1) % 3) * 10);
        STATIC_LONG.setVolatile((long) STATIC_LONG.getVolatile() + i);
        return swapped + " " + before + " " + small + " " + or + " " + old + " " + exchanged + " " + Arrays.toString(array) + " "
                + counter + " " + o.field + o.small + o.flag + o.reference;
    }

    static String lambdas(int i, String text) {
        IntUnaryOperator plus = x -> x + i;
        IntUnaryOperator none = x -> x * 7;
        IntBinaryOperator max = Math::max;
        Function<Object, String> make = String::valueOf;
        Supplier<Square> square = () -> new Square(i);
        ToIntFunction<String> length = String::length;
        BiFunction<Integer, Long, Object> box = (a, b) -> a + b;
        return plus.applyAsInt(1) + " " + none.andThen(plus).applyAsInt(i) + max.applyAsInt(i, 50) + make.apply(text) + square.get().name()
                + length.applyAsInt(text) + box.apply(i, 1L << 40);
    }

    static String words(int i) {
        String s = null;
        char c = (char) ('a' + i % 26);
        s = "<" + s + i + c + (byte) i + (long) i * i * i + (i % 2 == 0) + i / 4.0 + i / 8f + new Square(i).name() + "\u20ac>";
        s += i;
        return s + NULL + ARRAY.length + null;
    }

    static String finals(int i) {
        return NUMBER + " " + SMALL + (int) CHAR + SHORT + TRUE + FLOAT + DOUBLE + 1 / DOUBLE + LONG + NULL + (NULL == null) + ARRAY[i % 3]
                + PAIR.a() + PAIR.b() + (PAIR instanceof Record) + ((Object) ARRAY == (Object) PAIR) + PAIR.getClass().getSimpleName();
    }

    static int sites(int i) throws Throwable {
        return (int) BY_MUTABLE.invokeExact(i) * 1000 + (int) BY_VOLATILE.invokeExact(i);
    }

    static void check(long[] sums, int k, String s) {
        sums[k] = sums[k] * 31 + s.hashCode();
    }

    static void round(long[] sums, int i) throws Throwable {
        check(sums, 0, handles(i));
        check(sums, 1, wrong(i));
        check(sums, 3, lambdas(i, "text " + i));
        check(sums, 4, words(i));
        check(sums, 5, finals(i));
        sums[6] = sums[6] * 31 + sites(i);
    }

    // A class of a loader of its own whose lambda and handle the code of shared methods inlines.
    public static class Guest implements Callable<Integer> {
        static final MethodHandle OWN;
        static final Guest KEPT = new Guest();

        static {
            try {
                OWN = MethodHandles.lookup().findVirtual(Guest.class, "own", MethodType.methodType(int.class, int.class));
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        int own(int x) { return x + 11; }

        public Integer call() throws Exception {
            int sum = 0;
            for (int i = 0; i < 300; i++) {
                IntUnaryOperator f = x -> x ^ 5;
                try {
                    sum += f.applyAsInt((int) OWN.invokeExact(KEPT, i));
                } catch (Throwable t) {
                    throw new Exception(t);
                }
            }
            return sum;
        }
    }

    static class Loader extends ClassLoader {
        Class<?> define() throws Exception {
            String name = "Handles$Guest";
            byte[] bytes = Handles.class.getResourceAsStream(name + ".class").readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    static WeakReference<ClassLoader> guest() throws Exception {
        Loader loader = new Loader();
        Object o = loader.define().getDeclaredConstructor().newInstance();
        int sum = 0;
        for (int i = 0; i < 10; i++)
            sum += ((Callable<Integer>) o).call();
        System.out.println("guest " + sum);
        return new WeakReference<>(loader);
    }

    public static void main(String[] args) throws Throwable {
        long[] sums = new long[7];
        Handles o = new Handles();
        for (int i = 0; i < 4000; i++) {
            round(sums, i);
            check(sums, 2, variables(o, i));
            if (i == 2000)
                MUTABLE.setTarget(LOOKUP.findStatic(Handles.class, "thrice", MUTABLE.type()));
            if (i == 3000)
                VOLATILE.setTarget(MUTABLE.getTarget());
        }
        System.out.println(Arrays.toString(sums));
        System.out.println(handles(4000) + "\n" + wrong(4001) + "\n" + variables(o, 4002) + "\n" + lambdas(4003, "x") + "\n" + words(4004)
                + "\n" + finals(4005) + "\n" + sites(4006));
        WeakReference<ClassLoader> gone = guest();
        for (int i = 0; i < 100 && gone.get() != null; i++) {
            System.gc();
            Thread.sleep(10);
        }
        System.out.println(gone.get() == null ? "unloaded" : "still there");
    }
}
