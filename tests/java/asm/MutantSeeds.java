// SPDX-License-Identifier: Apache-2.0
// The good classes that Mutator damages: of many kinds, as javac writes them and as only an assembler does.
import java.io.*;
import java.lang.annotation.*;
import java.util.*;
import java.util.function.*;

class MutantSeeds {
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD, ElementType.FIELD, ElementType.PARAMETER, ElementType.TYPE_USE})
    @interface Mark {
        String value() default "m";
        int[] numbers() default {1, 2};
        Class<?> type() default Object.class;
    }

    // ---- as of old: no lambdas, no nest access, no string concatenation ----

    public static class Flow implements Comparator<String>, Serializable {
        private static final long serialVersionUID = 42L;
        public static final String NAME = "name";
        static final double D = 2.5;
        static int counter = 3;
        protected volatile Object value;
        transient final int[][] grid = new int[3][4];
        protected long wide;

        public Flow(Object v, long w) {
            this(v == null ? "none" : v.toString());
            value = v;
            wide = w;
        }

        Flow(String s) {
            super();
            value = s;
        }

        public int compare(String a, String b) {
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
            case 1000: return (byte) wide;
            default: return r;
            }
        }

        static long longs(long a, long b, int s) {
            long r = a * b + (a << s) - (b >>> s);
            if (r > a) {
                r ^= b;
            }
            double d = r;
            float f = (float) d * 2f;
            return f > d || d >= 1.0 ? (long) f : ~r;
        }

        synchronized Object objects(Object o, boolean b) throws IOException {
            synchronized (this) {
                if (o instanceof String[]) {
                    String[] ss = (String[]) o;
                    ss[0] = b ? "a" : ss[1];
                    return ss;
                }
            }
            Object[] all = {o, new StringBuilder("x"), new int[2], new long[][] {{1L}, {2L}}};
            if (all.length == 3) {
                throw new IOException("three");
            }
            StringBuilder sb = null;
            for (Object x : all) {
                if (sb == null) {
                    sb = new StringBuilder(b ? "yes" : "no");
                }
                sb.append(x).append(b ? 'c' : 'd').append(1.5f);
            }
            return new Inner(sb).of(new byte[3], new char[4], new double[5]);
        }

        protected Object clone() throws CloneNotSupportedException {
            return super.clone();
        }

        native int nothing(int a);

        class Inner {
            final StringBuilder in;

            Inner(StringBuilder sb) {
                in = sb;
            }

            Object of(byte[] b, char[] c, double[] d) {
                b[0] = (byte) c[1];
                d[0] += b[1]++;
                counter += b.length;
                return counter > 3 ? (Object) in : (Object) d;
            }
        }
    }

    public abstract static class Base<T extends Comparable<T>> extends AbstractList<T> implements Runnable {
        protected T first;
        protected static int shared;

        protected abstract T make(int i, double d);

        public T get(int i) {
            T t = make(i, 0.5);
            return t.compareTo(first) > 0 ? t : first;
        }

        public int size() {
            int n = modCount;
            do {
                n -= shared++;
            } while (n > 0 && n < 100);
            return -n;
        }

        public final void run() {
            long l = 5;
            float f = 1;
            while (l-- > 0) {
                f *= l;
                if (f == 3) {
                    break;
                }
            }
            System.out.println(f);
        }
    }

    // ---- of today ----

    @Mark(value = "seed", numbers = {5}, type = String.class)
    public static class Modern<T extends Comparable<T>> {
        public <X extends Exception> String text(Supplier<? extends X> s, long l, @Mark("p") double d) throws X {
            Function<Integer, String> f = x -> x + "a" + l + d + this;
            if (l > 5 && d < 3) {
                throw s.get();
            }
            var sb = new StringBuilder();
            for (@Mark String w : List.of("a", "b")) {
                sb.append(w).append(f.apply(3)).append(d > 2.5 ? 'c' : 'd');
            }
            try (StringWriter w = new StringWriter()) {
                w.write("x");
            } catch (IOException | RuntimeException e) {
                return null;
            }
            return sb.toString();
        }

        @Deprecated
        private int hidden(String... ss) {
            return new Object() {
                int sum() {
                    int n = 0;
                    for (String s : ss) {
                        n += s.length() + hidden();
                    }
                    return n;
                }
            }.sum();
        }
    }

    @Mark
    public record Pair(int a, @Mark("c") List<String> b, long c) implements Runnable {
        static Runnable last;

        public Pair {
            if (a < 0) {
                throw new IllegalArgumentException("a " + a);
            }
        }

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

    public sealed interface Shape permits Shape.One, Shape.Two {
        int K = Integer.parseInt("5");

        default int k() {
            return hidden() + K;
        }

        private int hidden() {
            return 1;
        }

        static Shape of(Object o) {
            return o instanceof String s ? new One(s) : new Two();
        }

        record One(String s) implements Shape {}

        final class Two implements Shape {
            @Override
            public int k() {
                return Shape.super.k() + 1;
            }
        }
    }

    public enum Kind implements IntSupplier {
        X, Y {
            @Override
            public int getAsInt() {
                return 7;
            }
        };

        public int getAsInt() {
            return switch (name()) {
                case "X" -> 5;
                case "Y" -> ordinal();
                default -> throw new IllegalStateException();
            };
        }
    }

    /** A class of the tests as javac made it, or null. */
    static byte[] read(String name) {
        try (InputStream in = MutantSeeds.class.getResourceAsStream("/" + name + ".class")) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] aged(byte[] b, int version) {
        b[7] = (byte) version;
        return b;
    }

    private static Asm.Code subroutine(Asm.Code c) {
        return c.op(0x03, 0x3b).label("try").op(0x84, 0, 1).jump(0xa8, "sub").op(0x1a, 0xac).label("end").label("catch").op(0x4c)
            .jump(0xa8, "sub").op(0x2b, 0xbf).label("sub").op(0x4d, 0x1a, 0x10, 5).jump(0xa2, "skip").op(0x84, 0, 2).label("skip").op(0xa9, 2);
    }

    private static void jumps(Asm a) {
        subroutine(a.method(9, "sub", "()I").size(2, 3)).handler("try", "end", "catch", null);
        Asm.Code t = a.method(9, "table", "(I)I").size(2, 1).op(0x1a);
        int base = t.pc();
        t.op(0xaa).op(new int[3 - base % 4]).offset(base, "other").u4(1).u4(2).offset(base, "other").offset(base, "two");
        t.label("two").op(0x05, 0xac).label("other").op(0x03, 0xac);
    }

    /** Subroutines and switches where no StackMapTable is needed, wide instructions, words that are moved about. */
    static byte[] assembled(int version) {
        Asm a = Asm.simple(version, "Assembled").field(9, "f", "J").field(2, "o", "[Ljava/lang/String;");
        a.method(9, "words", "(JID)D").size(8, 6).op(0x1e, 0x1c, 0x5b, 0x57, 0x58, 0x87, 0x29, 0x5e, 0x63, 0x63, 0x1c, 0x59, 0x5a, 0x5f, 0x57,
            0x57, 0x57, 0xaf);
        a.method(1, "wide", "(F)J").size(4, 300).op(0xc4, 0x17, 0, 1, 0xc4, 0x38, 1, 2, 0x03, 0xc4, 0x36, 1, 4, 0xc4, 0x84, 1, 4, 1, 0)
            .op(0x09, 0xc4, 0x37, 1, 6, 0xc4, 0x16, 1, 6, 0x5c).op2(0xb3, a.fref("Assembled", "f", "J")).op(0xad);
        if (version < 50) {
            jumps(a);
        }
        a.method(2, "fields", "()V").size(5, 1).op(0x2a).op(0x04).op2(0xbd, a.cls("java/lang/String")).op(0x59, 0x03).ldc(a.str("x"))
            .op(0x53).op2(0xb5, a.fref("Assembled", "o", "[Ljava/lang/String;")).op(0xb1);
        return a.bytes();
    }

    /** Straight code that every version takes, with dynamic constants and call sites. */
    static byte[] dynamic(int version) {
        Asm a = Asm.simple(version, "Dynamic");
        int boot = a.handle(6, a.mref("Dynamic", "boot",
            "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Object;)Ljava/lang/Object;"));
        a.method(9, "c", "()I").size(2, 1).ldc(a.dynamic(false, "x", "I", boot)).op(0xac);
        a.method(9, "l", "()J").size(2, 2).op2(0x14, a.dynamic(false, "y", "J", boot, a.integer(3))).op(0xad);
        a.method(9, "s", "(IJ)V").size(4, 4).op(0x1a, 0x1f).op2(0xba, a.dynamic(true, "z", "(IJ)V", boot, a.str("arg"))).op(0, 0, 0xb1);
        a.method(9, "h", "()Ljava/lang/Object;").size(2, 1).ldc(a.handle(5, a.mref("java/lang/Object", "hashCode", "()I"))).op(0x57)
            .ldc(a.mtype("(I[J)V")).op(0x57).ldc(a.cls("java/util/List")).op(0xb0);
        return a.bytes();
    }

    /** The name of each seed and its bytes. */
    static Map<String, byte[]> all() {
        Map<String, byte[]> all = new LinkedHashMap<>();
        Class<?>[] modern = {Modern.class, Pair.class, Shape.class, Shape.Two.class, Kind.class, Mark.class};
        Class<?>[] plain = {Flow.class, Base.class, Flow.Inner.class};
        for (Class<?> c : plain) {
            for (int version : new int[] {45, 49, 50, 51, 61}) {
                all.put(c.getSimpleName() + version, aged(read(c.getName()), version));
            }
        }
        for (Class<?> c : modern) {
            all.put(c.getSimpleName(), read(c.getName()));
        }
        for (int version : new int[] {46, 49, 50, 51}) {
            all.put("Assembled" + version, assembled(version));
        }
        all.put("Dynamic55", dynamic(55));
        return all;
    }
}
