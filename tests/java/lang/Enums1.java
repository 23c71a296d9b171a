// SPDX-License-Identifier: Apache-2.0
// Enums with bodies, fields, interfaces, EnumMap and EnumSet, valueOf errors.
// @quick
import java.util.*;

public class Enums1 {
    interface Op {
        int apply(int a, int b);
    }
    enum Arith implements Op {
        PLUS("+") {
            public int apply(int a, int b) {
                return a + b;
            }
        },
        TIMES("*") {
            public int apply(int a, int b) {
                return a * b;
            }
            String extra() {
                return "x";
            }
        };
        final String sym;
        static final Map<String, Arith> BY = new HashMap<>();
        static {
            for (Arith a : values()) {
                BY.put(a.sym, a);
            }
        }
        Arith(String s) {
            sym = s;
        }
        String extra() {
            return "none";
        }
    }
    enum Many { A, B, C, D, E, F, G, H }
    enum None {}

    public static void main(String[] args) {
        for (Arith a : Arith.values()) {
            System.out.println(a + a.sym + a.apply(3, 4) + a.ordinal() + a.getClass().getName() + a.getDeclaringClass() + a.extra()
                + a.getClass().isEnum() + a.getDeclaringClass().isEnum() + (Arith.BY.get(a.sym) == a));
        }
        try {
            Many.valueOf("Z");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        try {
            Enum.valueOf(Many.class, null);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        EnumSet<Many> es = EnumSet.range(Many.B, Many.E);
        es.remove(Many.C);
        System.out.println(es + " " + EnumSet.complementOf(es) + " " + EnumSet.noneOf(None.class));
        EnumMap<Many, Integer> em = new EnumMap<>(Many.class);
        em.put(Many.H, 1);
        em.put(Many.A, 2);
        System.out.println(em + " " + Many.valueOf("F").compareTo(Many.B) + " " + None.values().length);
        System.out.println(Arrays.toString(Many.class.getEnumConstants()));
    }
}
