// SPDX-License-Identifier: Apache-2.0
// JNI references of each kind, classes and lookups, reflection bridges, RegisterNatives, DefineClass, OnLoad.
// @native jnirefs
// @quick
import java.io.InputStream;
import java.util.*;

public class JniRefs extends Try {
    int v = 10;
    int addV(int x) {
        return v + x;
    }
    static int plain(int x) {
        return x;
    }
    static native Object frames(int n);
    static native int many(int n);
    static native int refused();
    static native int booleans();
    static native boolean describe(Throwable death);
    static int asInt(boolean b) {
        return b == true ? 1 : b ? 2 : 0;
    }
    static native void keep(Object g, Object w);
    static native Object global();
    static native Object weak();
    static native void drop();
    static native String kinds(Object o);
    static native String stale(Object o);
    static native Class<?> find(String n);
    static native String relations(Class<?> a, Class<?> b, Object o);
    static native Object[] reflect(Object m, Object f, Object c);
    static native boolean lookup(int kind, Class<?> w, String n, String s);
    static native int register(int what);
    static native int viaRegister(int i);
    native String viaRegister2(long a, double b);
    static native Class<?> define(String n, ClassLoader l, byte[] b);
    static native String module(Class<?> c);

    static class Sup {
        protected static int inherited = 1;
        void sm() {}
    }
    static class Sub extends Sup implements Comparable<Sub> {
        static {
            System.out.println("Sub init");
        }
        public int compareTo(Sub o) {
            return 0;
        }
    }
    static class L extends ClassLoader {}

    public static void main(String[] args) throws Exception {
        System.loadLibrary("jnirefs");
        System.out.println(frames(50) + " " + many(2000));
        Object g = new StringBuilder("global");
        Object w = new StringBuilder("weak");
        keep(g, w);
        g = null;
        System.gc();
        System.out.println(global() + " " + weak() + " " + (weak() == w));
        w = null;
        for (int i = 0; i < 50 && weak() != null; i++) {
            System.gc();
        }
        System.out.println(global() + " " + weak());
        drop();
        System.out.println(kinds("x"));
        System.out.println(stale("s"));
        for (String n : new String[] {"java/lang/String", "[I", "[Ljava/lang/Object;", "JniRefs$Sub", "java.lang.String", "no/Such", "Ljava/lang/String;", "int", "[[LJniRefs;", "",
                 "[Lno/such;", "[[Lno/such;", "[Lno.such;", "[", "[[[", "[X", "[V", "[II", "[L;", "[Lx", "[Ljava.lang.String;", "[Ljava/lang/String;x", "Lno/such;", "L;", ";"}) {
            t("find " + n, () -> find(n));
        }
        for (String n : new String[] {"no.such.Thing", "java.lang.String", "no/such/Thing"}) {
            try {
                find(n);
            } catch (NoClassDefFoundError e) {
                System.out.println(e + " | " + e.getCause());
            }
        }
        System.out.println(relations(Sub.class, Sup.class, "s") + " | " + relations(Object.class, Runnable.class, "s") + " | " + relations(Runnable.class, Object.class, null) + " | " + relations(int.class, int.class, "q"));
        Object[] r = reflect(JniRefs.class.getDeclaredMethod("addV", int.class), JniRefs.class.getDeclaredField("v"), JniRefs.class.getDeclaredConstructor());
        System.out.println(((JniRefs) r[0]).v + " " + r[1] + " " + r[2] + " " + r[3]);
        Object[][] ls = {{0, Sub.class, "compareTo", "(LJniRefs$Sub;)I"}, {0, Sub.class, "sm", "()V"}, {0, Sub.class, "hashCode", "()I"}, {0, Sub.class, "nope", "()V"}, {0, Sub.class, "sm", "()I"},
            {1, Sub.class, "sm", "()V"}, {0, JniRefs.class, "plain", "(I)I"}, {2, JniRefs.class, "v", "I"}, {2, JniRefs.class, "v", "J"}, {3, Sub.class, "inherited", "I"}, {2, Sub.class, "inherited", "I"},
            {3, JniRefs.class, "v", "I"}, {0, Comparable.class, "compareTo", "(Ljava/lang/Object;)I"}, {0, int[].class, "clone", "()Ljava/lang/Object;"}, {0, Sub.class, "<init>", "()V"},
            {1, Sub.class, "<clinit>", "()V"}};
        for (Object[] l : ls) {
            t("lookup " + Arrays.toString(l), () -> lookup((Integer) l[0], (Class<?>) l[1], (String) l[2], (String) l[3]));
        }
        t("capacities refused", () -> refused());
        t("booleans", () -> booleans());
        t("a death described", () -> describe(new ThreadDeath()));
        t("before", () -> viaRegister(5));
        t("register", () -> register(0));
        t("after", () -> viaRegister(5) + new JniRefs().viaRegister2(1L << 33, 2.5));
        t("register bad", () -> register(1));
        t("register nonnative", () -> register(2));
        byte[] b;
        try (InputStream in = JniRefs.class.getResourceAsStream("/JniRefs$Sup.class")) {
            b = in.readAllBytes();
        }
        L l = new L();
        t("define", () -> define("JniRefs$Sup", l, b).getClassLoader() == l);
        t("define again", () -> define("JniRefs$Sup", l, b));
        t("define noname", () -> define(null, new L(), b));
        t("define wrong", () -> define("Other", new L(), b));
        t("define garbage", () -> define("Other", new L(), new byte[] {1, 2, 3, 4}));
        t("module", () -> module(String.class) + module(JniRefs.class));
        t("unregister", () -> register(3));
        t("after unregister", () -> viaRegister(5));
        t("load again", () -> {
            System.loadLibrary("jnirefs");
            return "fine";
        });
    }
}
