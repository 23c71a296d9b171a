// SPDX-License-Identifier: Apache-2.0
// A native library goes with the loader that loaded it, and can be loaded again by another one.
// @quick
import java.io.InputStream;

public class JniUnload {
    public static class User {
        static {
            System.loadLibrary("jniunload");
        }

        static native int answer();

        public static int ask() {
            return answer();
        }
    }

    static class Loader extends ClassLoader {
        Class<?> define() throws Exception {
            try (InputStream in = JniUnload.class.getResourceAsStream("JniUnload$User.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass("JniUnload$User", bytes, 0, bytes.length);
            }
        }
    }

    static void use() throws Exception {
        Class<?> c = new Loader().define();
        System.out.println(c.getMethod("ask").invoke(null));
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            use();
            while (System.getProperty("jniunload") == null) { // by the cleaner's thread
                System.gc();
                Thread.sleep(1);
            }
            System.out.println(System.clearProperty("jniunload"));
        }
    }
}
