// SPDX-License-Identifier: Apache-2.0
// JNI FindClass with an exception pending finds, loads and initializes all the same; IsInstanceOf with NULL.
// @native jniexc
// @quick
public class JniPendingException {
    static class Initialized {
        static {
            System.out.println("initialized");
        }
    }
    static class Fails {
        static int x = 1 / Integer.parseInt("0");
    }

    // Whether FindClass found it, and the exception that is pending afterwards.
    static native boolean find(String name, Throwable[] pending);
    static native boolean isInstance(Object o, Class<?> c);

    public static void main(String[] args) {
        System.loadLibrary("jniexc");
        String[] names = {"java/lang/String", "JniPendingException$Initialized", "JniPendingException$Fails",
            "JniPendingException$Fails", "no/Such", "java/util/concurrent/Phaser", "[I", "[LJniPendingException;", "bad.name", ""};
        for (String name : names) {
            Throwable[] pending = new Throwable[1];
            boolean found = find(name, pending);
            System.out.println(name + " " + found + " " + pending[0] + " " + pending[0].getSuppressed().length);
        }
        System.out.println(isInstance(null, String.class) + " " + isInstance("x", String.class) + " " + isInstance(1, String.class));
        System.out.println(isInstance(null, null));
    }
}
