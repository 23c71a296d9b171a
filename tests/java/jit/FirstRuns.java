// SPDX-License-Identifier: Apache-2.0
// Eight threads run fresh code for the first time, each class loaded anew by 500 loaders: one of them compiles a method before its first
// call while others run it, and give the instructions that the compiler reads their quick forms.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitAll
// @modes stress
// @stress 20000
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.function.ToIntFunction;

public class FirstRuns {
    static final int LOADERS = 500, THREADS = 8;

    static class Shape {
        static int made = 1;
        final int size;
        Shape(int size) { this.size = size; }
        int size() { return size; }
        static int twice(int n) { return 2 * n; }
    }
    static class Disc extends Shape {
        static int sides = 3;
        Disc(int size) { super(size); }
    }
    static class Ring extends Shape {
        static String name = "ring";
        Ring(int size) { super(size); }
        int size() { return size - 1; }
    }
    static class Bar {
        static long weight = 7;
        public int hashCode() { return 1; }
    }
    interface Named {
        String name();
    }
    static class Tag implements Named {
        public String name() { return "tag"; }
        static int letters(String s) { return s.length(); }
    }

    /** A case for each instruction: what never ran ends its block, so that the compiler would not look at what is behind it. */
    public static class Fresh implements ToIntFunction<Object> {
        public int applyAsInt(Object o) {
            int n = 0;
            for (int i = 0; i < 24; i++)
                n += run(i, o);
            return n;
        }
        static int run(int which, Object o) {
            switch (which) {
            case 0: return new Disc(3).size();
            case 1: return o instanceof Shape ? 1 : 2;
            case 2: return ((String) o).length();
            case 3: return Shape.made;
            case 4: return new Ring(4).size();
            case 5: return "constant".length();
            case 6: return o instanceof Named ? 5 : 6;
            case 7: return ((Comparable<?>) o).hashCode() == o.hashCode() ? 7 : 8;
            case 8: return Shape.twice(9);
            case 9: return new Bar[2].length;
            case 10: return Fresh.class.getName().length();
            case 11: return new Tag().name().length();
            case 12: return o instanceof Comparable ? 12 : 13;
            case 13: return Ring.name.length();
            case 14: return ((CharSequence) o).length();
            case 15: return new Bar().hashCode() == 0 ? 15 : 16;
            case 16: return Tag.letters("tag");
            case 17: return new StringBuilder().length();
            case 18: return o instanceof Bar ? 18 : 19;
            case 19: return new Shape[3][4].length;
            case 20: return o instanceof CharSequence ? 20 : 21;
            case 21: return Disc.sides;
            case 22: return ((java.io.Serializable) o).hashCode() == o.hashCode() ? 22 : 23;
            default: return (int) Bar.weight;
            }
        }
    }

    /** Defines this program's inner classes itself. */
    static class Loader extends ClassLoader {
        Loader() { super(FirstRuns.class.getClassLoader()); }
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("FirstRuns$"))
                return super.loadClass(name, resolve);
            synchronized (getClassLoadingLock(name)) {
                Class<?> there = findLoadedClass(name);
                return there != null ? there : define(name);
            }
        }
        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = FirstRuns.class.getResourceAsStream(name + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static volatile ToIntFunction<Object> fresh;
    static final CyclicBarrier barrier = new CyclicBarrier(THREADS + 1);
    static final int[] sums = new int[THREADS];

    static void runAll(int thread) {
        try {
            for (int i = 0; i < LOADERS; i++) {
                barrier.await();
                sums[thread] += fresh.applyAsInt("no shape");
                barrier.await();
            }
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The other classes are there and initialized, so that the first run of an instruction takes little time. */
    @SuppressWarnings("unchecked")
    static ToIntFunction<Object> load(Loader loader) throws ReflectiveOperationException {
        for (Class<?> c : new Class<?>[] {Shape.class, Disc.class, Ring.class, Bar.class, Named.class, Tag.class})
            Class.forName(c.getName(), true, loader);
        return (ToIntFunction<Object>) loader.loadClass("FirstRuns$Fresh").getConstructor().newInstance();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            Thread t = new Thread(() -> runAll(thread));
            t.setDaemon(true);
            t.start();
        }
        for (int i = 0; i < LOADERS; i++) {
            fresh = load(new Loader());
            barrier.await();
            barrier.await();
        }
        for (int sum : sums)
            System.out.println(sum);
    }
}
