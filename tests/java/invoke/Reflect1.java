// SPDX-License-Identifier: Apache-2.0
// Reflective invocation, field access, constructors and arrays, with conversions and errors.
// @quick
import java.lang.reflect.*;
import java.util.*;

public class Reflect1 extends Try {
    public boolean z = true;
    public byte b = 1;
    public char c = 'c';
    public short s = 2;
    public int i = 3;
    public long l = 4;
    public float f = 5;
    public double d = 6;
    public Object o = "o";
    public static int si = 7;
    public static final int sfi = 8;
    private final int pfi;
    static String ss = "ss";

    public Reflect1() {
        pfi = 9;
    }
    private Reflect1(int x, String... r) {
        pfi = x;
        if (x < 0) {
            throw new IllegalArgumentException("neg");
        }
    }
    public long prims(boolean z, byte b, char c, short s, int i, long l, float f, double d) {
        return (z ? 1 : 0) + b + c + s + i + l + (long) f + (long) d;
    }
    public static String sm(Object... o) {
        return Arrays.toString(o);
    }
    private void priv() {}
    void thr() throws Exception {
        throw new java.io.IOException("thr");
    }
    static void v() {}
    static class Sub extends Reflect1 {
        public int i = 33;
        public long prims(boolean z, byte b, char c, short s, int i, long l, float f, double d) {
            return -1;
        }
    }
    static abstract class Abs {}
    public static void main(String[] args) throws Throwable {
        Class<Reflect1> C = Reflect1.class;
        Reflect1 r = new Reflect1();
        Method prims = C.getMethod("prims", boolean.class, byte.class, char.class, short.class, int.class, long.class, float.class, double.class);
        System.out.println(prims + " | " + prims.toGenericString());
        for (int k = 0; k < 30; k++) {
            if ((long) prims.invoke(r, true, (byte) 1, 'a', (short) 2, k, 3L, 4f, 5.0) != 1 + 1 + 97 + 2 + k + 3 + 4 + 5) {
                System.out.println("bad " + k);
            }
        }
        t("widen", () -> prims.invoke(r, true, (byte) 1, 'a', (byte) 2, 'b', (short) 3, 4, 5f));
        t("virtual", () -> prims.invoke(new Sub(), true, (byte) 1, 'a', (short) 2, 1, 3L, 4f, 5.0));
        t("narrow", () -> prims.invoke(r, true, 1, 'a', (short) 2, 1, 3L, 4f, 5.0));
        t("null prim", () -> prims.invoke(r, null, (byte) 1, 'a', (short) 2, 1, 3L, 4f, 5.0));
        t("count", () -> prims.invoke(r, 1));
        t("receiver", () -> prims.invoke("x", true, (byte) 1, 'a', (short) 2, 1, 3L, 4f, 5.0));
        t("null recv", () -> C.getDeclaredMethod("priv").invoke(null));
        t("static", () -> C.getMethod("sm", Object[].class).invoke(null, (Object) new Object[] {1, "2"}));
        t("void", () -> C.getDeclaredMethod("v").invoke(null));
        t("ite", () -> C.getDeclaredMethod("thr").invoke(r));
        t("nsme", () -> C.getMethod("priv"));
        t("nsme2", () -> C.getDeclaredMethod("prims", int.class, String[].class));
        t("ctor", () -> ((Reflect1) C.getDeclaredConstructor(int.class, String[].class).newInstance(5, new String[0])).pfi);
        t("ctor ite", () -> C.getDeclaredConstructor(int.class, String[].class).newInstance(-5, null));
        t("ctor abs", () -> Abs.class.getDeclaredConstructor().newInstance());
        t("enum", () -> Thread.State.class.getDeclaredConstructors()[0].newInstance("X", 1));
        t("priv jdk", () -> {
            Field v = String.class.getDeclaredField("value");
            v.setAccessible(true);
            return v;
        });
        t("access", () -> Integer.class.getDeclaredMethod("toUnsignedString0", int.class, int.class).invoke(null, 1, 2));
        for (String n : "z b c s i l f d o si sfi".split(" ")) {
            Field fl = C.getField(n);
            System.out.print(fl + "=" + fl.get(r) + " ");
            t("long", () -> fl.getLong(r));
            t("double", () -> fl.getDouble(r));
            t("setInt", () -> {
                fl.setInt(r, 65);
                return fl.get(r);
            });
            t("set", () -> {
                fl.set(r, (byte) 66);
                return fl.get(r);
            });
            t("setNull", () -> {
                fl.set(r, null);
                return fl.get(r);
            });
        }
        Field pf = C.getDeclaredField("pfi");
        t("final", () -> {
            pf.setInt(r, 4);
            return r.pfi;
        });
        pf.setAccessible(true);
        t("final acc", () -> {
            pf.setInt(r, 4);
            return pf.getInt(r);
        });
        t("hide", () -> Sub.class.getField("i").get(new Sub()) + " " + C.getField("i").get(new Sub()));
        t("nsfe", () -> C.getField("ss"));
        t("wrong obj", () -> C.getField("i").get("str"));
        t("null obj", () -> C.getField("i").get(null));
        t("arr", () -> {
            Object a = Array.newInstance(int.class, 2, 3);
            Array.set(Array.get(a, 1), 2, (short) 7);
            Array.setByte(Array.get(a, 0), 1, (byte) 3);
            return Arrays.deepToString((int[][]) a) + Array.getLength(a) + Array.getDouble(Array.get(a, 1), 2);
        });
        t("arr neg", () -> Array.newInstance(String.class, -1));
        t("arr void", () -> Array.newInstance(void.class, 1));
        t("arr bound", () -> Array.get(new int[1], 1));
        t("arr not", () -> Array.getLength("x"));
        t("arr type", () -> Array.getInt(new long[1], 0));
        t("arr store", () -> {
            Array.set(new String[1], 0, 5);
            return null;
        });
        t("arr dims", () -> Array.newInstance(int[][].class, 1, 2).getClass());
        List<String> ms = new ArrayList<>();
        for (Method m : C.getDeclaredMethods()) {
            if (!m.isSynthetic()) {
                ms.add(m.toString());
            }
        }
        Collections.sort(ms);
        ms.forEach(System.out::println);
        List<String> fs = new ArrayList<>();
        for (Field m : C.getDeclaredFields()) {
            fs.add(m.toString() + m.getModifiers());
        }
        System.out.println(fs);
        System.out.println(Arrays.toString(C.getConstructors()) + C.getDeclaredConstructors().length);
        System.out.println(C.getDeclaredMethod("sm", Object[].class).isVarArgs() + " "
            + (prims.hashCode() == C.getMethod(prims.getName(), prims.getParameterTypes()).hashCode()));
        System.out.println(Runnable.class.getMethod("run").getDeclaringClass() + " " + List.class.getMethod("size") + " " + int[].class.getMethods().length + " "
            + List.class.getMethod("forEach", java.util.function.Consumer.class));
    }
}
