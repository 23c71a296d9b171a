// SPDX-License-Identifier: Apache-2.0
// Class loaders: delegation, the same class twice, define errors, resources, packages, parallel loading, unloading.
// @quick
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.atomic.AtomicInteger;

public class Loaders extends Try {
    public static class Thing {
        public static int count;
        public Thing() {
            count++;
        }
        public Object helper() {
            return new Helper();
        }
        public String toString() {
            return "Thing" + count;
        }
    }
    public static class Helper {}

    static class Own extends ClassLoader {
        static {
            registerAsParallelCapable();
        }
        final Set<String> mine;
        final AtomicInteger defines = new AtomicInteger();
        Own(String name, ClassLoader p, String... mine) {
            super(name, p);
            this.mine = new HashSet<>(Arrays.asList(mine));
        }
        protected Class<?> loadClass(String n, boolean r) throws ClassNotFoundException {
            if (!mine.contains(n)) {
                return super.loadClass(n, r);
            }
            synchronized (getClassLoadingLock(n)) {
                Class<?> c = findLoadedClass(n);
                if (c == null) {
                    defines.incrementAndGet();
                    byte[] b = bytes(n);
                    c = defineClass(n, b, 0, b.length);
                }
                return c;
            }
        }
        Class<?> def(String n, byte[] b) {
            return defineClass(n, b, 0, b.length);
        }
        Class<?> found(String n) {
            return findLoadedClass(n);
        }
        protected Class<?> findClass(String n) throws ClassNotFoundException {
            if (n.startsWith("wrong.")) {
                return Loaders.class;
            }
            throw new ClassNotFoundException("own " + n);
        }
    }
    static byte[] bytes(String n) {
        try (InputStream in = Loaders.class.getResourceAsStream("/" + n + ".class")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
    public static void main(String[] args) throws Throwable {
        ClassLoader app = Loaders.class.getClassLoader();
        String th = "Loaders$Thing";
        String he = "Loaders$Helper";
        Own a = new Own("A", app, th, he);
        Own b = new Own("B", app, th);
        Class<?> ca = a.loadClass(th);
        Class<?> cb = Class.forName(th, true, b);
        Object oa = ca.getDeclaredConstructor().newInstance();
        System.out.println((ca == cb) + " " + (ca == Thing.class) + " " + oa + " " + Thing.count + " " + (oa instanceof Thing) + " " + ca.getClassLoader().getName());
        System.out.println((ca.getMethod("helper").invoke(oa).getClass() == a.loadClass(he)) + " "
            + (cb.getMethod("helper").invoke(cb.getDeclaredConstructor().newInstance()).getClass() == Helper.class));
        t("cce", () -> (Thing) oa);
        t("dup", () -> a.def(th, bytes(th)));
        t("name", () -> b.def("Other", bytes(he)));
        t("nullname", () -> new Own("N", app).def(null, bytes(he)));
        t("java.", () -> a.def("java.lang.Evil", bytes(he)));
        t("slash", () -> a.def("a/b", bytes(he)));
        t("empty", () -> a.def("Q", new byte[0]));
        t("magic", () -> a.def("Q", new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9}));
        t("missing", () -> a.loadClass("x.Y"));
        t("forName", () -> Class.forName("x.Y", false, a));
        t("wrong", () -> Class.forName("wrong.Z", false, a));
        t("found", () -> a.found("Loaders") + " " + a.found(th) + " " + a.found("java.lang.String"));
        t("arr", () -> Class.forName("[L" + th + ";", false, a).getComponentType() == ca);
        t("boot", () -> Class.forName("java.lang.String", false, null) + " " + Class.forName("Loaders", false, null));
        t("platform", () -> ClassLoader.getPlatformClassLoader().getName() + ClassLoader.getSystemClassLoader().getName()
            + (app == ClassLoader.getSystemClassLoader()) + ClassLoader.getPlatformClassLoader().getParent());
        t("ctx", () -> Thread.currentThread().getContextClassLoader() == app);
        t("res", () -> (app.getResource("Loaders.class") != null) + " " + app.getResource("none.x") + " " + (Object.class.getResource("Object.class").toString()) + " "
            + (ClassLoader.getSystemResourceAsStream("Loaders.class").read()) + Collections.list(app.getResources("Loaders.class")).size());
        t("url", () -> {
            URL u = Loaders.class.getProtectionDomain().getCodeSource().getLocation();
            try (URLClassLoader ul = new URLClassLoader("U", new URL[] {u}, null)) {
                Class<?> c = ul.loadClass(th);
                return c.getClassLoader().getName() + (c != Thing.class) + c.getDeclaredConstructor().newInstance();
            }
        });
        Own p = new Own("P", app, th, he);
        Thread[] ts = new Thread[8];
        Set<Class<?>> seen = Collections.synchronizedSet(new HashSet<>());
        for (int i = 0; i < ts.length; i++) {
            ts[i] = new Thread(() -> {
                try {
                    seen.add(Class.forName(th, true, p));
                } catch (ClassNotFoundException e) {
                    e.printStackTrace();
                }
            });
            ts[i].start();
        }
        for (Thread x : ts) {
            x.join();
        }
        System.out.println(seen.size() + " " + p.defines);
        System.out.println(oa + " " + ca.getPackage().getName().length() + " " + a.getUnnamedModule().isNamed() + (ca.getModule() == a.getUnnamedModule()));
    }
}
