// SPDX-License-Identifier: Apache-2.0
// Lambdas and method references of each kind, captures, serializable and intersection targets, primitives, bridges.
// @quick
import java.io.*;
import java.util.*;
import java.util.function.*;

public class Lambdas {
    interface Tri<A, B, C, R> {
        R apply(A a, B b, C c);
        default Tri<A, B, C, String> str() {
            return (a, b, c) -> "s" + apply(a, b, c);
        }
    }
    interface SerSup<T> extends Supplier<T>, Serializable {}
    interface Prim {
        double go(int a, long b, float c, double d, byte e, char f, short g, boolean h);
    }
    interface StrFn extends Function<String, String> {
        String apply(String s);
    }
    static class Base {
        String who() {
            return "base";
        }
        protected static String st(Object o) {
            return "st" + o;
        }
    }
    static class Derived extends Base {
        String who() {
            return "derived";
        }
        Supplier<String> sup() {
            return super::who;
        }
        Supplier<String> ths() {
            return this::who;
        }
    }
    class Inner {
        int v;
        Inner(int v) {
            this.v = v + field;
        }
    }
    int field = 5;

    IntFunction<Inner> maker() {
        return Inner::new;
    }

    static <T> T twice(UnaryOperator<T> f, T t) {
        return f.apply(f.apply(t));
    }

    static int sum(Integer... xs) {
        int s = 0;
        for (int x : xs) {
            s += x;
        }
        return s;
    }

    public static void main(String[] args) throws Exception {
        int cap = 10;
        String cs = "cap";
        Supplier<String> s0 = () -> cs + cap;
        IntBinaryOperator add = (a, b) -> a + b + cap;
        Function<Integer, Function<Integer, Integer>> curry = a -> b -> a * b + cap;
        System.out.println(s0.get() + add.applyAsInt(1, 2) + curry.apply(3).apply(4) + twice(x -> x + x, "q"));
        Function<String, Integer> len = String::length;
        Function<Object, String> val = String::valueOf;
        Supplier<List<String>> mk = ArrayList::new;
        IntFunction<int[][]> mka = int[][]::new;
        Function<String, Boolean> bound = "abcdef"::contains;
        BiFunction<String, String, Integer> cmp = String::compareTo;
        Tri<Integer, Integer, Integer, Integer> tri = Lambdas::sum;
        System.out.println(len.apply("four") + val.apply(null) + mk.get() + mka.apply(3).length + bound.apply("cd") + cmp.apply("a", "c")
            + tri.apply(1, 2, 3) + tri.str().apply(4, 5, 6));
        System.out.println(new Derived().sup().get() + new Derived().ths().get() + ((Function<Object, String>) Derived::st).apply(1)
            + new Lambdas().maker().apply(37).v);
        Prim p = (a, b, c, d, e, f, g, h) -> a + b + c + d + e + f + g + (h ? 1 : 0);
        System.out.println(p.go(1, 2L, 3f, 4d, (byte) 5, 'a', (short) 7, true));
        ToLongFunction<Integer> widen = Integer::intValue;
        Function<Integer, Object> box = Integer::bitCount;
        System.out.println(widen.applyAsLong(7) + " " + box.apply(255));
        StrFn sf = x -> x + "!";
        Function<String, String> g = sf;
        System.out.println(g.apply("bridge") + g.andThen(sf).compose(sf).apply("x"));
        Runnable r = (Runnable & Serializable) () -> System.out.println("run " + cs);
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        new ObjectOutputStream(bo).writeObject(r);
        ((Runnable) new ObjectInputStream(new ByteArrayInputStream(bo.toByteArray())).readObject()).run();
        SerSup<String> ss = () -> "ser";
        System.out.println(ss.get() + (ss instanceof Serializable));
        Runnable[] rs = new Runnable[3];
        List<Integer> out = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int k = i;
            rs[i] = () -> out.add(k);
        }
        for (Runnable x : rs) {
            x.run();
        }
        System.out.println(out + " " + (rs[0] == rs[1]) + " " + (rs[0].getClass() == rs[1].getClass()));
        System.out.println(nc() == nc());
        Supplier<Supplier<String>> nest = () -> () -> cs;
        System.out.println(nest.get().get() + r.getClass().isSynthetic() + r.getClass().isHidden() + rs[0].getClass().getSimpleName().startsWith("Lambdas$$Lambda"));
        try {
            Object nul = null;
            Supplier<String> sn = nul::toString;
            System.out.println(sn);
        } catch (NullPointerException e) {
            System.out.println("NPE bound");
        }
        try {
            ((Function) len).apply(5);
        } catch (ClassCastException e) {
            System.out.println(e.getMessage());
        }
        try {
            Callable3 c3 = () -> {
                throw new IOException("from lambda");
            };
            c3.call();
        } catch (IOException e) {
            System.out.println(e.getMessage() + " " + e.getStackTrace()[0].getMethodName());
        }
        Comparator<String> cc = Comparator.comparing(String::length).thenComparing(Comparator.reverseOrder());
        List<String> l = new ArrayList<>(List.of("bb", "a", "ccc", "aa", "c"));
        l.sort(cc);
        System.out.println(l);
        Function<Integer, Integer> fact = new Function<>() {
            public Integer apply(Integer n) {
                return n < 2 ? 1 : n * this.apply(n - 1);
            }
        };
        System.out.println(fact.apply(10));
        Optional<Integer> o = Optional.of(3).map(Math::negateExact).filter(x -> x < 0);
        System.out.println(o);
    }

    interface Callable3 {
        void call() throws IOException;
    }

    static Runnable nc() {
        return () -> {};
    }
}
