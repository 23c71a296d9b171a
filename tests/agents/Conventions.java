// SPDX-License-Identifier: Apache-2.0
// What native profilers take for granted beside the specification.
// @quick
// @agent ti_conventions
public class Conventions {
    private static native void look(Thread current);

    private static native void attach();

    public static void main(String[] args) throws Exception {
        System.out.println("main");
        look(Thread.currentThread());
        Thread t = new Thread(() -> look(Thread.currentThread()));
        t.start();
        t.join();
        attach();
    }
}
