// SPDX-License-Identifier: Apache-2.0
// Natives of methods that agents wrapped with native method prefixes: registered by the former name, and found (N4, N7, N10); and
// bound before a redefinition put the wrapper in their place.
// @agent ti_prefixes
// @flags -XX:+AllowRedefinitionToAddDeleteMethods
// @quick
public class Prefixes {
    static native void register(String name, String... prefixes);

    static int one() {
        return in_one();
    }

    static native int in_one();

    static int two() {
        return in_two();
    }

    static int in_two() {
        return out_in_two();
    }

    static native int out_in_two();

    static int outer() {
        return out_outer();
    }

    static native int out_outer();

    static native int bare();

    static native int in_bare();

    static int java() {
        return 1;
    }

    static native int in_absent();

    static native void layers();

    static native int redefine(Class<?> c, byte[] file);

    static native void registerIn(Class<?> c, String name);

    static native void unregister(Class<?> c);

    // Wrapped by both environments, by both but for the inner wrapper, and not by name alone.
    static int layered() {
        return in_layered();
    }

    static int in_layered() {
        return out_in_layered();
    }

    static native int out_in_layered();

    static int gap() {
        return out_in_gap();
    }

    static native int out_in_gap();

    static int own() {
        return in_own();
    }

    static native int in_own();

    static int wrongOrder() {
        return in_out_wrongOrder();
    }

    static native int in_out_wrongOrder();

    interface Body {
        int run();
    }

    static void call(String name, Body body) {
        try {
            System.out.println(name + " gives " + body.run());
        } catch (UnsatisfiedLinkError e) {
            System.out.println(name + ": " + e.getMessage());
        }
    }

    static void run(String... prefixes) {
        System.out.println("prefixes " + String.join(" ", prefixes));
        for (String name : new String[] {"one", "two", "outer", "bare", "java", "absent"})
            register(name, prefixes);
        call("one", Prefixes::one);
        call("two", Prefixes::two);
        call("outer", Prefixes::outer);
        call("bare", Prefixes::bare);
        call("in_bare", Prefixes::in_bare);
    }

    static class Bound0 {
        static native int value();
    }

    static class Bound1 {
        static int value() {
            return 10 + in_value();
        }

        private static native int in_value();
    }

    static class Bound2 {
        static int value() {
            return 100 + in_value();
        }

        private static int in_value() {
            return 10 + out_in_value();
        }

        private static native int out_in_value();
    }

    static void become(String version) {
        byte[] file = Redefiner.as(Bound0.class, "Prefixes$" + version);
        System.out.println(version + ": " + redefine(Bound0.class, file));
        call("value", Bound0::value);
    }

    static void bound() {
        registerIn(Bound0.class, "value");
        for (String version : new String[] {"Bound0", "Bound1", "Bound2", "Bound1", "Bound0"})
            become(version);
        become("Bound1");
        unregister(Bound0.class);
        call("unregistered", Bound0::value);
        registerIn(Bound0.class, "value"); // while it is wrapped
        become("Bound0");
    }

    public static void main(String[] args) {
        run();
        run("in_");
        run("in_", "out_");
        run("out_", "in_");
        run();
        layers();
        call("layered", Prefixes::layered);
        call("gap", Prefixes::gap);
        call("own", Prefixes::own);
        call("wrongOrder", Prefixes::wrongOrder);
        bound();
    }
}
