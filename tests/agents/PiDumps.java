// SPDX-License-Identifier: Apache-2.0
// JVMPI's heap, object and monitor dumps byte by byte: see tests/native/pi_dumps.c (statements 135, 162).
// @only pellucid
// @xrun pi_dumps
// @quick
import java.io.IOException;
import java.io.InputStream;

public class PiDumps {
    static native void heap();

    static native void object(Object known, Class<?> type, Object in, char[] chars, Object[] array, Class<?> element);

    static native void monitors(Object lock, Object waited);

    static native void afterUnloading(Object left);

    static final Object lock = new Object(), waited = new Object();

    static class Known {
        boolean z = true;
        char c = 'A';
        byte b = -2;
        short s = 0x1234;
        int i = 0x01020304;
        long j = 0x0102030405060708L;
        float f = 1;
        double d = 1;
        Object o = lock;
    }

    static void start(Runnable body) {
        Thread t = new Thread(body);
        t.setDaemon(true);
        t.start();
        while (t.getState() != Thread.State.BLOCKED && t.getState() != Thread.State.WAITING)
            Thread.onSpinWait();
    }

    static void enter() {
        synchronized (lock) {
            lock.hashCode();
        }
    }

    static void await() {
        synchronized (waited) {
            try {
                waited.wait();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    static class Loader extends ClassLoader {
        Loader() {
            super(null);
        }

        Class<?> make(byte[] bytes) {
            return defineClass("PiDumps$Known", bytes, 0, bytes.length);
        }
    }

    // The class that is left of many: what lay below it is free.
    static Class<?> last() throws IOException {
        try (InputStream in = PiDumps.class.getResourceAsStream("PiDumps$Known.class")) {
            byte[] bytes = in.readAllBytes();
            Class<?>[] all = new Class<?>[5000];
            for (int i = 0; i < all.length; i++)
                all[i] = new Loader().make(bytes);
            return all[all.length - 1];
        }
    }

    public static void main(String[] args) throws IOException {
        System.loadLibrary("pi_dumps");
        object(new Known(), Known.class, lock, new char[] {'x', '\u20ac'}, new Object[] {lock, null}, Object.class);
        synchronized (lock) {
            heap();
            synchronized (lock) {
                start(PiDumps::enter);
                start(PiDumps::await);
                monitors(lock, waited);
            }
        }
        Class<?> last = last();
        System.gc();
        afterUnloading(java.lang.reflect.Array.newInstance(last, 1));
    }
}
