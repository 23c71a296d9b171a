// SPDX-License-Identifier: Apache-2.0
// Loads damaged copies of good classes, each in a loader of its own: cut at every byte, single bits and bytes changed at
// seeded places. Each is defined, looked at by reflection and initialized; its other code is verified but never run.
// One line tells what became of a mutant, so that a difference between two VMs shows itself; a histogram ends the run.
// Arguments: how many changes for each seed class (default 600), and the seed of the random numbers (default 1).
// @timeout 120
// @modes asan
import java.io.*;
import java.lang.annotation.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;

public class Mutants {
    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {
        String value() default "m";
        int[] numbers() default {1, 2};
        Class<?> type() default Object.class;
    }

    @Mark(value = "seed", numbers = {5}, type = String.class)
    public static class SeedA<T extends Comparable<T>> implements Comparator<T>, Serializable {
        private static final long serialVersionUID = 42L;
        public static final String NAME = "name";
        static final double D = 2.5;
        static int counter = 3;
        protected volatile T value;
        final int[][] grid = new int[3][4];

        public SeedA(T v) {
            value = v;
        }

        @Override
        public int compare(T a, T b) {
            int r = 0;
            for (int i = 0; i < grid.length; i++) {
                try {
                    r += a.compareTo(b) * grid[i][r & 3];
                } catch (ArrayIndexOutOfBoundsException | ClassCastException e) {
                    r--;
                } finally {
                    counter++;
                }
            }
            switch (r) {
            case 0: return 1;
            case 1: return 5;
            case 2: return (int) D;
            case 100: return -1;
            default: return r;
            }
        }

        public synchronized <X extends Exception> String text(Supplier<? extends X> s, long l, @Mark("p") double d) throws X {
            Function<Integer, String> f = x -> x + NAME + l + d + value;
            if (l > 5 && d < 3 || value instanceof String) {
                throw s.get();
            }
            StringBuilder sb = new StringBuilder();
            for (String w : List.of("a", "b")) {
                sb.append(w).append(f.apply(3)).append(d > 2.5 ? 'c' : 'd');
            }
            return sb.toString();
        }

        class Inner {
            T of() {
                return value;
            }
        }
    }

    @Mark
    public record SeedB(int a, @Mark("c") List<String> b) implements Runnable {
        static Runnable last;
        public void run() {
            last = this::run;
            synchronized (this) {
                long x = a;
                x <<= 3;
                float f = x;
                System.out.println(f + b.get(0) + (x > 3L));
            }
        }
    }

    public sealed interface SeedC permits SeedC.One {
        int K = Integer.parseInt("5");
        default int k() {
            return hidden() + K;
        }
        private int hidden() {
            return 1;
        }
        static SeedC of(Object o) {
            return new One(String.valueOf(o));
        }
        record One(String s) implements SeedC {}
    }

    public enum SeedD implements IntSupplier {
        X, Y;
        public int getAsInt() {
            return switch (name()) {
                case "X" -> 5;
                case "Y" -> ordinal();
                default -> throw new IllegalStateException();
            };
        }
    }

    static class Loader extends ClassLoader {
        Loader() {
            super(Mutants.class.getClassLoader());
        }

        Class<?> define(byte[] b) {
            return defineClass(null, b, 0, b.length);
        }
    }

    static byte[] bytes(Class<?> c) throws IOException {
        try (InputStream in = c.getResourceAsStream("/" + c.getName() + ".class")) {
            return in.readAllBytes();
        }
    }

    static final Map<String, Integer> histogram = new TreeMap<>();

    static String tryOne(byte[] b) {
        String stage = "define ";
        String result;
        try {
            Class<?> c = new Loader().define(b);
            stage = "reflect ";
            int digest = look(c);
            stage = "init ";
            Class.forName(c.getName(), true, c.getClassLoader());
            result = "ok " + Integer.toHexString(digest);
            stage = "";
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable e) {
            result = e.getClass().getSimpleName();
        }
        String kind = stage + (result.startsWith("ok") ? "ok" : result);
        histogram.merge(kind, 1, Integer::sum);
        return stage + result;
    }

    static String safe(Supplier<Object> s) {
        try {
            Object o = s.get();
            return o instanceof Object[] ? sorted((Object[]) o) : String.valueOf(o);
        } catch (RuntimeException | LinkageError e) {
            return e.getClass().getSimpleName();
        }
    }

    // The members of an annotation come in the order of the interface's methods, which is each VM's own.
    static String members(String annotation) {
        return sorted(annotation.split("[(), ]+"));
    }

    static String sorted(Object[] os) {
        String[] ss = new String[os.length];
        for (int i = 0; i < ss.length; i++) {
            ss[i] = os[i] instanceof Annotation ? members(os[i].toString()) : String.valueOf(os[i]);
        }
        Arrays.sort(ss);
        return Arrays.toString(ss);
    }

    static int look(Class<?> c) {
        StringBuilder sb = new StringBuilder(c.getName() + c.getModifiers() + c.getSuperclass());
        sb.append(safe(c::getDeclaredFields)).append(safe(c::getDeclaredMethods)).append(safe(c::getDeclaredConstructors)).append(safe(c::getInterfaces));
        sb.append(safe(c::getAnnotations)).append(safe(c::getGenericSuperclass)).append(safe(c::getGenericInterfaces)).append(safe(c::getTypeParameters));
        sb.append(safe(c::getDeclaredClasses)).append(safe(c::getEnclosingClass)).append(safe(c::getSimpleName)).append(safe(c::getRecordComponents));
        sb.append(safe(c::getPermittedSubclasses)).append(safe(c::getNestHost));
        try {
            for (Method m : c.getDeclaredMethods()) {
                safe(m::getGenericReturnType);
                safe(m::getGenericParameterTypes);
                safe(m::getAnnotations);
                safe(m::getParameterAnnotations);
                safe(m::getDefaultValue);
                safe(m::getParameters);
            }
            for (Field f : c.getDeclaredFields()) {
                safe(f::getGenericType);
                safe(f::getAnnotations);
                safe(f::getAnnotatedType);
            }
        } catch (RuntimeException | LinkageError e) {
            sb.append(e.getClass());
        }
        return sb.toString().hashCode();
    }

    static void cut(Class<?> c, byte[] good) {
        String last = "";
        int from = 0;
        for (int n = 0; n <= good.length; n++) {
            String r = n == good.length ? "end" : tryOne(Arrays.copyOf(good, n));
            if (!r.equals(last)) {
                if (n > 0) {
                    System.out.println(c.getSimpleName() + " cut at " + from + " to " + (n - 1) + ": " + last);
                }
                last = r;
                from = n;
            }
        }
    }

    static void change(Class<?> c, byte[] good, int times, Random r) {
        for (int i = 0; i < times; i++) {
            byte[] b = good.clone();
            int at = r.nextInt(b.length);
            int how = r.nextInt(10);
            int bit = r.nextInt(8);
            if (how < 7) {
                b[at] ^= 1 << bit;
            } else if (how == 7) {
                b[at] = 0;
            } else if (how == 8) {
                b[at] = -1;
            } else {
                b[at] = (byte) r.nextInt(256);
            }
            System.out.println(c.getSimpleName() + " " + i + " byte " + at + " " + (good[at] & 255) + "->" + (b[at] & 255) + ": " + tryOne(b));
        }
    }

    public static void main(String[] args) throws Exception {
        int times = args.length > 0 ? Integer.parseInt(args[0]) : 600;
        Random r = new Random(args.length > 1 ? Long.parseLong(args[1]) : 1);
        for (Class<?> c : new Class<?>[] {SeedA.class, SeedB.class, SeedC.class, SeedD.class}) {
            byte[] good = bytes(c);
            System.out.println(c.getSimpleName() + " whole: " + tryOne(good));
            cut(c, good);
            change(c, good, times, r);
        }
        histogram.forEach((k, v) -> System.out.println(v + " " + k));
    }
}
