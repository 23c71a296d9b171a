// SPDX-License-Identifier: Apache-2.0
// What can be asked about classes, their methods and fields: names, modifiers, lines, code, interfaces, loaders.
// @agent ti_facts
// @quick
import java.util.List;
import java.util.function.IntBinaryOperator;

public class Facts {
    static native void tell(Class<?> c);

    static native void loaded(ClassLoader loader);

    native synchronized void nothing(long a, int b);

    interface Shape<T> extends Comparable<T>, Cloneable {
        int SIDES = 4;

        T area(T unit) throws java.io.IOException;

        default int sides() {
            return SIDES;
        }

        static void hint() {
        }
    }

    abstract static class Base<T extends Number> implements Shape<T> {
        protected volatile T value;
        private transient int count;
        static final String NAME = "base";
        public List<? super T> list;

        abstract void more();

        protected final synchronized double compute(double d, long l, Object... rest) {
            double x = d;
            for (int i = 0; i < l; i++) {
                x += i;
            }
            return x + rest.length;
        }
    }

    class Inner extends Base<Integer> {
        @Override
        public Integer area(Integer unit) {
            return unit;
        }

        @Override
        public int compareTo(Integer other) {
            return 0;
        }

        @Override
        void more() {
            nothing(1, 2);
        }
    }

    enum Color { RED, GREEN { @Override int code() { return 2; } }; int code() { return 1; } }

    record Point(int x, int y) { }

    @interface Mark { int value() default 3; }

    static class Unlinked {
        static int x = 5;

        int f() {
            return x;
        }
    }

    static class Broken {
        static int zero = 0;
        static int value = 1 / zero;
    }

    public static void main(String[] args) throws Exception {
        new Facts().new Inner();
        Color.valueOf("GREEN");
        IntBinaryOperator add = (a, b) -> a + b;
        try {
            add.applyAsInt(1, Broken.value);
        } catch (ExceptionInInitializerError e) {
            System.out.println("broken");
        }
        ClassLoader loader = Facts.class.getClassLoader();
        Class<?>[] all = {Facts.class, Shape.class, Base.class, Inner.class, Color.class, Color.GREEN.getClass(), Point.class, Mark.class,
                          Class.forName("Facts$Unlinked", false, loader), Broken.class, int.class, void.class, int[].class,
                          String[][].class, Inner[].class, Object.class, String.class, Runnable.class, Thread.State.class};
        for (Class<?> c : all)
            tell(c);
        loaded(loader);
    }
}
