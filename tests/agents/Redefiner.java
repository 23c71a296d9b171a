// SPDX-License-Identifier: Apache-2.0
// What the tests about redefinition share: the natives of tests/native/ti_redefine.c, and class files made from other classes'.
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.ref.WeakReference;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

public class Redefiner {
    static native void hook(int number, boolean capable, String only, String from, String to, boolean quiet);

    static native int redefine(Class<?>[] classes, byte[][] files);

    static native int retransform(Class<?>... classes);

    static native int wrong(int kind, Object other);

    static native boolean modifiable(Class<?> c);

    static native void frames(Thread thread, Class<?> of);

    static native int breakpoint(Object method, boolean set);

    static native int hits();

    static native void keep(Object method);

    static native Object callKept(Class<?> c);

    static native void keepFrame();

    static native int breakpointInKept();

    static native boolean isKeptGone();

    static native int free(boolean other, boolean on);

    static native String lastError();

    static native void keepObject(Object o, long tag, String intField);

    static native String kept(Object o);

    static int redefine(Class<?> c, byte[] file) {
        return redefine(new Class<?>[] {c}, new byte[][] {file});
    }

    // Bytes of class metadata in use after collections.
    static long metaspace() {
        for (int i = 0; i < 3; i++)
            System.gc();
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans())
            if (pool.getName().equals("Metaspace"))
                return pool.getUsage().getUsed();
        throw new IllegalStateException();
    }

    // How many of the loaders were unloaded.
    static int gone(WeakReference<?>[] loaders) {
        int gone = 0;
        for (WeakReference<?> l : loaders)
            gone += l.get() == null ? 1 : 0;
        return gone;
    }

    // The class file of a class on the class path.
    static byte[] file(String name) {
        try (InputStream in = ClassLoader.getSystemResourceAsStream(name.replace('.', '/') + ".class")) {
            return in.readAllBytes();
        } catch (Exception e) {
            throw new IllegalStateException(name, e);
        }
    }

    // The same bytes with one text in place of another of the same length.
    static byte[] replace(byte[] file, String from, String to) {
        byte[] a = from.getBytes(), b = to.getBytes(), out = file.clone();
        for (int i = 0; i + a.length <= out.length; i++) {
            int n = 0;
            while (n < a.length && out[i + n] == a[n])
                n++;
            if (n == a.length)
                System.arraycopy(b, 0, out, i, b.length);
        }
        return out;
    }

    // The class file of `from` under the name of class c; the names are of one length.
    static byte[] as(Class<?> c, String from) {
        return replace(file(from), from, c.getName());
    }

    // Prints what it gives, or the class of what it throws.
    static void attempt(String what, Callable<?> r) {
        try {
            System.out.println("  " + what + ": " + r.call());
        } catch (Throwable e) {
            System.out.println("  " + what + ": threw " + e.getClass().getName());
        }
    }

    // Until it is compiled.
    static <T> T often(Supplier<T> s) {
        T last = null;
        for (int i = 0; i < 3000; i++)
            last = s.get();
        return last;
    }

    static int become(Class<?> c, String from) {
        return redefine(c, as(c, from));
    }
}
