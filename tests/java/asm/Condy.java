// SPDX-License-Identifier: Apache-2.0
// Dynamic constants and call sites: types, caching, errors of bootstrap methods, recursion.
// @quick
import java.lang.invoke.*;

public class Condy {
    static int calls;
    public static int count(MethodHandles.Lookup l, String n, Class<?> t) {
        return ++calls;
    }
    public static Object any(MethodHandles.Lookup l, String n, Class<?> t, Object... a) {
        return n + t.getSimpleName() + java.util.Arrays.toString(a);
    }
    public static long lng(MethodHandles.Lookup l, String n, Class<?> t, int i, long j, double d, String s) {
        return i + j + (long) d + s.length();
    }
    public static Object thrower(MethodHandles.Lookup l, String n, Class<?> t) throws Exception {
        calls++;
        if (n.equals("error")) {
            throw new StackOverflowError("own error");
        }
        throw new Exception("from bootstrap");
    }
    public static CallSite site(MethodHandles.Lookup l, String n, MethodType t) throws Exception {
        calls++;
        if (n.equals("nil")) {
            return null;
        }
        if (n.equals("thrower")) {
            throw new IllegalStateException("site");
        }
        return new ConstantCallSite(n.equals("wrong") ? MethodHandles.constant(long.class, 5L) : MethodHandles.constant(int.class, calls));
    }
    static final String B = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;";
    static int n;

    interface Make {
        int index(Asm a);
    }

    static int bsm(Asm a, String name, String rest) {
        return a.handle(6, a.mref("Condy", name, B + rest));
    }

    static void constant(String what, String desc, int ret, boolean twice, Make k) {
        Asm a = Asm.simple(55, "C" + n++);
        int idx = k.index(a);
        boolean wide = desc.equals("J") || desc.equals("D");
        a.method(9, "m", "()" + desc).op2(wide ? 0x14 : 0x13, idx).op(ret);
        Asm.Loader l = new Asm.Loader("L", a);
        Asm.t(what, () -> Asm.run(l, a.name));
        if (twice) {
            Asm.t(what + " again", () -> Asm.run(l, a.name));
        }
    }

    static void site(String what, String name) {
        Asm a = Asm.simple(55, "D" + n++);
        int idx = a.dynamic(true, name, "()I", a.handle(6, a.mref("Condy", "site",
            "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;")));
        a.method(9, "m", "()I").op2(0xba, idx).op(0, 0).op(0xac);
        Asm.Loader l = new Asm.Loader("L", a);
        calls = 0;
        for (int i = 0; i < 2; i++) {
            Asm.t(what, () -> Asm.run(l, a.name) + " calls " + calls);
        }
        System.out.println(calls);
    }

    public static void main(String[] args) {
        constant("int", "I", 0xac, true, a -> a.dynamic(false, "x", "I", bsm(a, "count", ")I")));
        constant("object", "Ljava/lang/Object;", 0xb0, false, a -> a.dynamic(false, "nm", "Ljava/lang/String;", bsm(a, "any", "[Ljava/lang/Object;)Ljava/lang/Object;"), a.integer(5), a.str("s"),
            a.cls("[I"), a.lng(6), a.dbl(1.5), a.flt(2.5f), a.mtype("()V")));
        constant("long", "J", 0xad, true, a -> a.dynamic(false, "x", "J", bsm(a, "lng", "IJDLjava/lang/String;)J"), a.integer(5), a.lng(1L << 40), a.dbl(2.5), a.str("four")));
        constant("null", "Ljava/lang/Object;", 0xb0, false, a -> a.dynamic(false, "_", "Ljava/lang/Object;",
            a.handle(6, a.mref("java/lang/invoke/ConstantBootstraps", "nullConstant", B + ")Ljava/lang/Object;"))));
        constant("primitive class", "Ljava/lang/Object;", 0xb0, false, a -> a.dynamic(false, "I", "Ljava/lang/Class;",
            a.handle(6, a.mref("java/lang/invoke/ConstantBootstraps", "primitiveClass", B + ")Ljava/lang/Class;"))));
        constant("nested", "Ljava/lang/Object;", 0xb0, false, a -> {
            int inner = a.dynamic(false, "in", "Ljava/lang/Object;", bsm(a, "any", "[Ljava/lang/Object;)Ljava/lang/Object;"), a.integer(1));
            return a.dynamic(false, "out", "Ljava/lang/Object;", bsm(a, "any", "[Ljava/lang/Object;)Ljava/lang/Object;"), inner, inner);
        });
        calls = 0;
        constant("throws", "Ljava/lang/Object;", 0xb0, true, a -> a.dynamic(false, "x", "Ljava/lang/Object;", bsm(a, "thrower", ")Ljava/lang/Object;")));
        System.out.println("calls " + calls);
        constant("throws error", "Ljava/lang/Object;", 0xb0, true, a -> a.dynamic(false, "error", "Ljava/lang/Object;", bsm(a, "thrower", ")Ljava/lang/Object;")));
        constant("wrong type", "I", 0xac, true, a -> a.dynamic(false, "x", "I", bsm(a, "any", "[Ljava/lang/Object;)Ljava/lang/Object;")));
        constant("no such bootstrap", "I", 0xac, true, a -> a.dynamic(false, "x", "I", bsm(a, "missing", ")I")));
        site("site", "fine");
        site("null site", "nil");
        site("throwing site", "thrower");
        site("wrong site", "wrong");
    }
}
