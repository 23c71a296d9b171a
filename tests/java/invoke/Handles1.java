// SPDX-License-Identifier: Apache-2.0
// Method handle lookups of every kind, invocation modes and their errors.
// @quick
import java.lang.invoke.*;
import java.util.*;
import static java.lang.invoke.MethodType.methodType;

public class Handles1 {
    int f = 1;
    static long sf = 2;
    final String fin;
    private int priv(int x) {
        return x + f;
    }
    Handles1() {
        this("none");
    }
    Handles1(String s) {
        fin = s;
    }
    public String toString() {
        return "H" + f + fin;
    }
    static String st(int a, long b, double c, Object d) {
        return a + "," + b + "," + c + "," + d;
    }
    static class Base {
        String who(int i) {
            return "base" + i;
        }
    }
    static class Sub extends Base {
        String who(int i) {
            return "sub" + i;
        }
        static MethodHandle sup() throws Exception {
            return MethodHandles.lookup().findSpecial(Base.class, "who", methodType(String.class, int.class), Sub.class);
        }
    }
    interface Ifc {
        default String d(String s) {
            return "d" + s;
        }
        String a();
    }
    static String va(String s, Object... r) {
        return s + Arrays.toString(r);
    }
    static void thrower() throws Exception {
        throw new java.io.IOException("thrown");
    }
    interface T {
        Object run() throws Throwable;
    }
    static void t(T r) {
        try {
            System.out.println(r.run());
        } catch (Throwable e) {
            System.out.println(e.toString().replaceAll("@[0-9a-f]+", "@"));
        }
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        Handles1 h = new Handles1("x");
        MethodHandle st = l.findStatic(Handles1.class, "st", methodType(String.class, int.class, long.class, double.class, Object.class));
        MethodHandle priv = l.findVirtual(Handles1.class, "priv", methodType(int.class, int.class));
        MethodHandle who = l.findVirtual(Base.class, "who", methodType(String.class, int.class));
        MethodHandle ctor = l.findConstructor(Handles1.class, methodType(void.class, String.class));
        MethodHandle get = l.findGetter(Handles1.class, "f", int.class);
        MethodHandle set = l.findSetter(Handles1.class, "f", int.class);
        MethodHandle sget = l.findStaticGetter(Handles1.class, "sf", long.class);
        MethodHandle sset = l.findStaticSetter(Handles1.class, "sf", long.class);
        System.out.println((String) st.invokeExact(1, 2L, 3.0, (Object) "o"));
        System.out.println((String) st.invoke((byte) 1, 2, 3f, "o"));
        System.out.println(st.invokeWithArguments(1, 2, 3, 4));
        System.out.println((int) priv.invokeExact(h, 5) + " " + (int) priv.invoke(h, Integer.valueOf(6)));
        System.out.println((String) who.invokeExact((Base) new Sub(), 3) + (String) who.invoke(new Base(), 4) + Sub.sup().invoke(new Sub(), 5));
        System.out.println((Handles1) ctor.invokeExact("made"));
        set.invokeExact(h, 9);
        sset.invokeExact(77L);
        System.out.println((int) get.invokeExact(h) + " " + (long) sget.invokeExact() + " " + h);
        System.out.println(l.findVirtual(Ifc.class, "d", methodType(String.class, String.class)).invoke((Ifc) () -> "a", "q"));
        System.out.println(l.findVirtual(Ifc.class, "a", methodType(String.class)).invoke((Ifc) () -> "abs"));
        System.out.println(l.findVirtual(String.class, "length", methodType(int.class)).invoke("four"));
        MethodHandle va = l.findStatic(Handles1.class, "va", methodType(String.class, String.class, Object[].class));
        System.out.println(va.invoke("a") + " " + va.invoke("a", 1) + " " + va.invoke("a", 1, "2") + " " + va.invoke("a", new Object[] {9})
            + " " + va.isVarargsCollector() + va.asFixedArity().isVarargsCollector());
        System.out.println(l.unreflect(Handles1.class.getDeclaredMethod("priv", int.class)).invoke(h, 1));
        System.out.println(l.revealDirect(priv));
        System.out.println(st + " " + get + " " + ctor + " " + who.bindTo(new Sub()));
        t(() -> st.invokeExact(1, 2, 3, 4));
        t(() -> (Object) st.invokeExact(1, 2L, 3.0, (Object) "o"));
        t(() -> st.invoke(1, 2));
        t(() -> st.invoke("x", 2, 3, 4));
        t(() -> (Integer) st.invoke(1, 2, 3, 4));
        t(() -> st.asType(methodType(void.class, String.class)));
        t(() -> priv.invoke((Handles1) null, 1));
        t(() -> get.invoke((Handles1) null));
        t(() -> who.invoke("notbase", 1));
        t(() -> l.findVirtual(Handles1.class, "nope", methodType(void.class)));
        t(() -> l.findStatic(Handles1.class, "priv", methodType(int.class, int.class)));
        t(() -> l.findVirtual(Handles1.class, "st", st.type()));
        t(() -> l.findGetter(Handles1.class, "f", long.class));
        t(() -> l.findSetter(Handles1.class, "fin", String.class));
        t(() -> l.findGetter(Handles1.class, "sf", long.class));
        t(() -> l.findSpecial(String.class, "length", methodType(int.class), Handles1.class));
        t(() -> MethodHandles.publicLookup().findVirtual(Handles1.class, "priv", methodType(int.class, int.class)));
        t(() -> l.in(String.class).findVirtual(Handles1.class, "priv", methodType(int.class, int.class)));
        t(() -> l.findStatic(Handles1.class, "thrower", methodType(void.class)).invoke());
        t(() -> l.findConstructor(Ifc.class, methodType(void.class)));
        t(() -> l.findClass("Handles1$Nope"));
        t(() -> l.findClass("Handles1$Base"));
        t(() -> l.accessClass(String.class));
        t(() -> MethodHandles.privateLookupIn(String.class, l));
        t(() -> st.type().toMethodDescriptorString() + st.type().wrap().generic() + st.type().parameterCount());
        t(() -> MethodType.fromMethodDescriptorString("(I[Ljava/lang/String;)V", null));
        t(() -> MethodType.fromMethodDescriptorString("(I[Lno/Such;)V", null));
        t(() -> methodType(int.class) == methodType(int.class));
    }
}
