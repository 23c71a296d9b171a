// SPDX-License-Identifier: Apache-2.0
// A loader that defines some classes of the class path anew, to be dropped; and waiting for that.
import java.io.InputStream;
import java.lang.ref.Reference;
import java.util.Set;

class Dropped extends ClassLoader {
    private final Set<String> own;

    Dropped(String... own) {
        super(Dropped.class.getClassLoader());
        this.own = Set.of(own);
    }

    static byte[] bytes(String name) throws ClassNotFoundException {
        try (InputStream in = Dropped.class.getResourceAsStream(name + ".class")) {
            return in.readAllBytes();
        } catch (Exception e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    Class<?> define(String name, byte[] bytes) {
        return defineClass(name, bytes, 0, bytes.length);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!own.contains(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> c = findLoadedClass(name);
            byte[] bytes = c == null ? bytes(name) : null;
            return c == null ? define(name, bytes) : c;
        }
    }

    // Whether what r refers to is cleared by some collection soon.
    static boolean goes(Reference<?> r) throws InterruptedException {
        for (int i = 0; i < 3000 && r.get() != null; i++) { // a thread may have to end first
            System.gc();
            Thread.sleep(Math.min(i / 5, 10));
        }
        return r.get() == null;
    }

    // Whether it is there after some collections.
    static boolean stays(Reference<?> r) {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return r.get() != null;
    }

    // Loads victims that all stay alive, until there is no room; what is thrown then, and whether many had found room.
    static String fill() throws Exception {
        byte[] bytes = bytes("Victim");
        java.util.List<ClassLoader> kept = new java.util.ArrayList<>();
        Throwable thrown;
        try {
            for (;;) {
                Dropped l = new Dropped("none");
                l.define("Victim", bytes).getDeclaredConstructor().newInstance();
                kept.add(l);
            }
        } catch (java.lang.reflect.InvocationTargetException e) {
            thrown = e.getCause(); // the constructor makes an array, whose class found no room
        } catch (OutOfMemoryError e) {
            thrown = e;
        }
        boolean many = kept.size() > 100;
        kept.clear();
        return thrown + " " + many;
    }
}
