// SPDX-License-Identifier: Apache-2.0
// What code a field watch reaches: that of the field's class and of others that ran before it was set; of several loaders, one
// of which is gone; of a version that was replaced and still runs; instructions with breakpoints. Watches that come and go by kind.
// @agent ti_watchcode
// @quick
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;

public class WatchCode {
    static native void watch(Class<?> c, boolean access, boolean set);

    static native void breakpoint(Class<?> c, String desc, int bci, boolean set);

    static native void redefine(Class<?> c, byte[] bytes);

    static native String counts();

    public static class Target {
        public int f;

        void own() {
            f++;
        }
    }

    public static class Heir extends Target {
        void inherited() {
            f++;
        }
    }

    public static class Reader {
        public static int get(Target t) {
            return t.f; // getfield at 1
        }

        public static void put(Target t) {
            t.f++;
        }
    }

    static class Replaced {
        static int run(Target t) throws IOException {
            int sum = t.f;
            redefine(Replaced.class, bytes(Replaced.class));
            for (int i = 0; i < 3; i++) {
                sum += t.f;
                if (i == 0)
                    watch(Target.class, true, true);
                if (i == 1)
                    watch(Target.class, true, false);
            }
            return sum;
        }

        static int get(Target t) {
            return t.f;
        }
    }

    static class Copies extends ClassLoader {
        Class<?> define(byte[] b) {
            return defineClass(null, b, 0, b.length);
        }

        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(Reader.class.getName()) ? super.loadClass(name, resolve) : WatchCode.class.getClassLoader().loadClass(name);
        }
    }

    static byte[] bytes(Class<?> c) throws IOException {
        try (InputStream in = WatchCode.class.getResourceAsStream(c.getName() + ".class")) {
            return in.readAllBytes();
        }
    }

    static void show(String what) {
        System.out.println(what + ": " + counts());
    }

    static Target target = new Heir();

    static void all() {
        target.own();
        ((Heir) target).inherited();
        Reader.get(target);
        Reader.put(target);
    }

    static void byKind() {
        all();
        show("nothing watched");
        watch(Target.class, true, true);
        all();
        show("reads");
        watch(Target.class, false, true);
        all();
        show("both");
        watch(Target.class, true, false);
        all();
        show("writes");
        all();
        watch(Target.class, true, true);
        watch(Target.class, false, false);
        all();
        show("writes, then reads");
        watch(Target.class, true, false);
        all();
        watch(Target.class, true, true);
        watch(Target.class, true, false);
        all();
        show("cleared");
    }

    static Method copy() throws Exception {
        Method get = new Copies().define(bytes(Reader.class)).getMethod("get", Target.class);
        get.invoke(null, target);
        return get;
    }

    static void copies() throws Exception {
        Method[] gets = {copy(), copy(), copy()};
        WeakReference<Class<?>> gone = new WeakReference<>(gets[0].getDeclaringClass());
        gets[0] = null;
        for (int i = 0; gone.get() != null && i < 100; i++)
            System.gc();
        System.out.println(gone.get() == null ? "unloaded" : "not unloaded");
        watch(Target.class, true, true);
        gets[1].invoke(null, target);
        gets[2].invoke(null, target);
        show("two loaders");
        watch(Target.class, true, false);
        gets[1].invoke(null, target);
        show("cleared");
    }

    static void versions() throws Exception {
        Replaced.get(target);
        Replaced.run(target);
        show("in a replaced version");
        watch(Target.class, true, true);
        Replaced.get(target);
        show("in its successor");
        watch(Target.class, true, false);
        Replaced.get(target);
        watch(Target.class, true, true);
        redefine(Replaced.class, bytes(Replaced.class));
        Replaced.get(target);
        show("in a version made while watched");
        watch(Target.class, true, false);
    }

    static void breakpoints() {
        String desc = "(LWatchCode$Target;)I";
        breakpoint(Reader.class, desc, 1, true);
        Reader.get(target);
        watch(Target.class, true, true);
        Reader.get(target);
        show("breakpoint, then watch");
        breakpoint(Reader.class, desc, 1, false);
        Reader.get(target);
        breakpoint(Reader.class, desc, 1, true);
        watch(Target.class, true, false);
        Reader.get(target);
        Reader.get(target);
        breakpoint(Reader.class, desc, 1, false);
        Reader.get(target);
        show("both gone");
    }

    public static void main(String[] args) throws Exception {
        byKind();
        copies();
        versions();
        breakpoints();
        System.out.println(target.f);
    }
}
