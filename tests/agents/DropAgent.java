// SPDX-License-Identifier: Apache-2.0
// What an agent holds of a class whose loader is dropped, several times, so that memory is used again.
// @agent ti_unload
// @quick
import java.io.InputStream;

public class DropAgent {
    static native void hold(Class<?> c);

    static native boolean wasFreed();

    static native void askStale();

    public static class Held implements Runnable {
        static int counter;

        @Override
        public void run() {
            counter = counter + 1;
        }

        public int more(int n) {
            return n + counter;
        }
    }

    static class Loader extends ClassLoader {
        Class<?> define() throws Exception {
            try (InputStream in = DropAgent.class.getResourceAsStream("DropAgent$Held.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass("DropAgent$Held", bytes, 0, bytes.length);
            }
        }
    }

    static void load() throws Exception {
        Class<?> c = new Loader().define();
        Object held = c.getDeclaredConstructor().newInstance();
        hold(c);
        ((Runnable) held).run();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            load();
            while (!wasFreed()) { // another thread may tell of it
                System.gc();
                Thread.sleep(1);
            }
            System.out.println("freed " + wasFreed());
            askStale();
        }
        new Held().run(); // the same name in a living loader
    }
}
