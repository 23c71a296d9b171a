// SPDX-License-Identifier: Apache-2.0
// Calls whose receivers were seen to be of one class, of two, of many: methods are inlined behind a test of the class. Classes that come
// later, null, exceptions that come out, default methods, casts behind tests, casts that fail for a new object, recursion, classes of a
// loader that is dropped. What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:ProfileThreshold=1 -XX:CompileThresholdScaling=0.05 -Xmx32m
// @modes asan stress
// @timeout 180
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;

public class Dispatch {
    interface Shape {
        int area();
        default int twice() { return area() * 2; }
        default int scaled(double by, float more) { return (int) (area() * by + more); }
        default String name() { return getClass().getSimpleName(); }
    }
    static class Square implements Shape {
        final int side;
        Square(int side) { this.side = side; }
        public int area() { return side * side; }
    }
    static class Circle implements Shape {
        public int area() { return 3; }
        @Override public int twice() { return -6; }
        @Override public int scaled(double by, float more) { return (int) (by - more); }
    }
    static class Fails implements Shape {
        public int area() { throw new IllegalStateException("no area"); }
    }
    static class Big extends Square {
        Big() { super(1000); }
        @Override public int area() { return super.area() + 1; }
        @Override public int scaled(double by, float more) { return (int) (by * more); }
    }
    abstract static class Tree {
        abstract int depth();
    }
    static class Leaf extends Tree {
        int depth() { return 1; }
    }
    static class Branch extends Tree {
        final Tree left, right;
        Branch(Tree left, Tree right) { this.left = left; this.right = right; }
        int depth() { return Math.max(left.depth(), right.depth()) + 1; }
    }
    static class Counter {
        long count;
        void add(int n) { count += n; }
    }
    static class Doubling extends Counter {
        @Override void add(int n) { count += 2L * n; }
    }

    static int sum(Shape[] shapes) {
        int s = 0;
        for (Shape shape : shapes)
            s += shape.area() + shape.twice();
        return s;
    }
    static int scaledSum(Shape[] shapes) { // constants are in registers for floats while the method is selected
        int s = 0;
        for (Shape shape : shapes)
            s += shape.scaled(250.5, 1000.5f);
        return s;
    }
    static int guarded(Shape shape) {
        try {
            return shape.area();
        } catch (IllegalStateException e) {
            return -e.getMessage().length() - e.getStackTrace().length % 2;
        } catch (NullPointerException e) {
            return -100;
        }
    }
    static void count(Counter c, int n) {
        for (int i = 0; i < n; i++)
            c.add(i);
    }
    static int castBehindTest(Object o) {
        if (o instanceof Square)
            return ((Square) o).side;
        if (o instanceof Number)
            return ((Number) o).intValue() + ((Comparable<?>) o).hashCode() * 0;
        return ((Collection<?>) o).size();
    }
    abstract static class Block {
        int kind;
    }
    static class Literal extends Block {
        Literal(int kind) { this.kind = kind; }
        int length() { return 1; }
    }
    static class Reference extends Block { // has more methods than a Literal has
        Reference() { kind = 2; }
        int a() { return 1; }
        int b() { return a() + 1; }
        int c() { return b() + 1; }
        int d() { return c() + 1; }
        int e() { return d() + 1; }
        int offset() { return e() + 1; }
    }
    static int accept(Block block) {
        return block.kind == 2 ? ((Reference) block).offset() : ((Literal) block).length();
    }
    static int emit(int kind) {
        return accept(new Literal(kind)) + accept(new Reference());
    }
    static int reduce(int[] a, IntBinaryOperator op) {
        int r = 0;
        for (int i = 0; i < a.length; i++)
            r = op.applyAsInt(r, a[i]);
        return r;
    }
    static int sizes(List<? extends Collection<?>> all) {
        int n = 0;
        for (Collection<?> c : all)
            n = n * 3 + c.size();
        return n;
    }
    static String fails(Shape[] shapes) {
        try {
            return "" + sum(shapes);
        } catch (RuntimeException e) {
            StringBuilder text = new StringBuilder(String.valueOf(e.getMessage()).replaceAll("because.*", ""));
            for (StackTraceElement f : e.getStackTrace())
                if (!f.getMethodName().equals("main"))
                    text.append(' ').append(f.getMethodName()).append(':').append(f.getLineNumber() > 0);
            return text.toString();
        }
    }

    // A class of a loader of its own, seen by code of this one.
    static class Own extends ClassLoader {
        Own() { super(null); }
        Class<?> define(byte[] bytes) { return defineClass(null, bytes, 0, bytes.length); }
        @Override protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith("Dispatch"))
                return Dispatch.class.getClassLoader().loadClass(name);
            throw new ClassNotFoundException(name);
        }
    }
    public static class Late implements Supplier<Object> {
        public Object get() { return "late"; }
    }
    static int ask(Supplier<?> s, int turns) {
        int n = 0;
        for (int i = 0; i < turns; i++)
            n += s.get().toString().length();
        return n;
    }
    static WeakReference<Object> dropped() throws Exception {
        byte[] bytes;
        try (java.io.InputStream in = Dispatch.class.getResourceAsStream("Dispatch$Late.class")) {
            bytes = in.readAllBytes();
        }
        Object late = new Own().define(bytes).getDeclaredConstructor().newInstance();
        System.out.println(ask((Supplier<?>) late, 3000));
        return new WeakReference<>(late.getClass().getClassLoader());
    }

    public static void main(String[] args) throws Exception {
        Shape[] squares = {new Square(2), new Square(3)}, mixed = {new Square(2), new Circle(), new Square(5)};
        Shape[] many = {new Square(2), new Circle(), new Big(), new Square(7)};
        long total = 0;
        for (int i = 0; i < 300; i++)
            total += sum(squares);
        System.out.println("one class " + total);
        for (int i = 0; i < 300; i++)
            total += sum(mixed);
        System.out.println("two " + total);
        for (int i = 0; i < 300; i++)
            total += sum(many);
        System.out.println("many " + total);
        for (int i = 0; i < 300; i++)
            total += scaledSum(i % 3 == 0 ? many : i % 3 == 1 ? mixed : new Shape[] {new Fails() {
                @Override public int area() { return 7; }
            }, many[i % 4]});
        System.out.println("scaled " + total);
        System.out.println(fails(new Shape[] {new Square(1), new Fails()}) + ", " + fails(new Shape[] {new Circle(), null}));
        int caught = 0;
        Shape fails = new Fails();
        for (int i = 0; i < 600; i++)
            caught += guarded(i % 3 == 0 ? fails : i % 50 == 1 ? null : squares[i % 2]);
        System.out.println("caught " + caught);
        Tree tree = new Leaf();
        for (int i = 0; i < 12; i++)
            tree = new Branch(tree, new Branch(new Leaf(), tree));
        System.out.println("depth " + tree.depth());
        Counter plain = new Counter();
        for (int i = 0; i < 200; i++)
            count(plain, 20);
        Counter doubling = new Doubling();
        for (int i = 0; i < 200; i++)
            count(i % 2 == 0 ? plain : doubling, 20);
        System.out.println("counted " + plain.count + " " + doubling.count);
        int cast = 0;
        Object[] objects = {new Square(4), 17, List.of(1, 2, 3), 5L, new Big()};
        for (int i = 0; i < 1000; i++)
            cast += castBehindTest(objects[i % (i < 500 ? 2 : 5)]);
        try {
            castBehindTest("a");
        } catch (ClassCastException e) {
            System.out.println("cast " + cast + " " + e.getMessage().substring(0, 22));
        }
        int emitted = 0;
        for (int i = 0; i < 600; i++)
            emitted += emit(i % 2);
        try {
            emit(2);
        } catch (ClassCastException e) {
            System.out.println("emitted " + emitted + " " + e.getMessage().substring(0, 22));
        }
        int[] numbers = {3, 1, 4, 1, 5};
        int folded = 0, base = args.length + 2;
        for (int i = 0; i < 400; i++)
            folded += reduce(numbers, (x, y) -> x * base + y) - reduce(numbers, Math::max);
        System.out.println("folded " + folded);
        List<Collection<?>> all = new ArrayList<>(Arrays.asList(new ArrayList<>(List.of(1)), List.of(1, 2)));
        for (int i = 0; i < 300; i++)
            folded += sizes(all);
        all.add(new java.util.TreeSet<>(List.of(1, 2, 3)));
        System.out.println("sizes " + folded + " " + sizes(all));
        WeakReference<Object> loader = dropped();
        for (int i = 0; i < 50 && loader.get() != null; i++) {
            System.gc();
            Thread.sleep(10);
        }
        System.out.println("dropped " + (loader.get() == null));
        System.out.println(ask(() -> "again", 300));
    }
}
