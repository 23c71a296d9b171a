// SPDX-License-Identifier: Apache-2.0
// What native profilers take for granted beside the specification.
// @quick
// @agent ti_conventions
// @flags -Xlog:jni+resolve=warning:stdout:none
public class Conventions {
    static class Booted {
        static native void booted();
    }

    private static native void look(Thread current);

    private static native void attach();

    private static native void register(byte[] booted);

    private static native void unsafe();

    public static void main(String[] args) throws Exception {
        System.out.println("main");
        look(Thread.currentThread());
        Thread t = new Thread(() -> look(Thread.currentThread()));
        t.start();
        t.join();
        attach();
        try (var in = Conventions.class.getResourceAsStream("Conventions$Booted.class")) {
            register(in.readAllBytes());
        }
        unsafe();
    }
}
