// SPDX-License-Identifier: Apache-2.0
// Native method prefixes apply in the order in which environments see class files (JVM TI, SetNativeMethodPrefix): those that
// can retransform last, whenever they were made. HotSpot takes the order of their creation.
// @agent ti_prefixes
// @only pellucid
// @quick
public class PrefixOrder {
    static native void listen(int step);

    static class Seen { }

    static int first() {
        return in_first();
    }

    static int in_first() {
        return re_in_first();
    }

    static native int re_in_first();

    static int second() {
        return re_second();
    }

    static int re_second() {
        return in_re_second();
    }

    static native int in_re_second();

    static void call(String name, java.util.function.IntSupplier body) {
        try {
            System.out.println(name + " gives " + body.getAsInt());
        } catch (UnsatisfiedLinkError e) {
            System.out.println(name + ": " + e.getMessage());
        }
    }

    public static void main(String[] args) {
        listen(0);
        new Seen();
        call("wrong order", PrefixOrder::second);
        listen(1);
        call("still wrong", PrefixOrder::second);
        call("transformed in order", PrefixOrder::first);
    }
}
