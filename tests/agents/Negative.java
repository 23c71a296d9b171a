// SPDX-License-Identifier: Apache-2.0
// Every JVM TI function called in the wrong phase, without its capability, and with each wrong argument: the errors.
// @agent ti_negative
// @timeout 120
public class Negative {
    static int number = 1;

    static int plain(int i) {
        return i + number;
    }

    static native void nothing();

    static native void run(Object text, Thread unstarted, Thread dead, ThreadGroup group, Module module);

    public static void main(String[] args) throws Exception {
        Thread dead = new Thread(() -> { });
        dead.start();
        dead.join();
        run("text", new Thread(() -> { }), dead, Thread.currentThread().getThreadGroup(), Negative.class.getModule());
        System.out.println("end " + plain(1));
    }
}
