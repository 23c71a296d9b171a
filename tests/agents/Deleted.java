// SPDX-License-Identifier: Apache-2.0
// A reference that was deleted before stands for null in JVM TI, too.
// @agent ti_deleted
// @quick
public class Deleted {
    static int field = 1;

    static native void ask(Object o, Thread thread);

    public static void main(String[] args) {
        ask(new Object(), Thread.currentThread());
        System.out.println(field);
    }
}
