// SPDX-License-Identifier: Apache-2.0
// PopFrame of methods that put a value of another kind into the variable of an argument: the method begins again with null or 0 there.
// Only here: HotSpot calls it again with whatever is there.
// @agent ti_pop_changed
// @only pellucid
// @quick
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;

public class PopChanged {
    static native void popAt(Class<?> c, String name, String desc, int location);

    static String seen;

    // The code of these is changed: what is stored into the last variable is stored into the first.
    public static class Plain0 {
        public static int reference(Object o) {
            see(o);
            int i = 5;
            return i + 1;
        }

        public static int number(int n) {
            see(n);
            Object o = "text";
            return o.hashCode();
        }

        public static synchronized int other(StringBuilder b) {
            see(b);
            Object o = "text";
            return o.hashCode();
        }

        static void see(Object o) {
            PopChanged.seen += " " + o;
            System.gc();
        }
    }

    // aload, istore, astore and iload of variable 1 become those of variable 0, in code that stores there.
    static Class<?> changed() throws IOException, IllegalAccessException {
        String file;
        try (var in = PopChanged.class.getResourceAsStream("PopChanged$Plain0.class")) {
            file = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
        file = file.replace("\u0008\u003c\u001b\u0004\u0060", "\u0008\u003b\u001a\u0004\u0060").replace("\u004c\u002b\u00b6", "\u004b\u002a\u00b6");
        return MethodHandles.lookup().defineClass(file.replace("Plain0", "Plain1").getBytes(StandardCharsets.ISO_8859_1));
    }

    // `location`: behind the store.
    static void pop(Class<?> c, String name, Class<?> type, Object argument, int location) throws Throwable {
        seen = name;
        popAt(c, name, MethodType.methodType(int.class, type).toMethodDescriptorString(), location);
        Object result = MethodHandles.lookup().findStatic(c, name, MethodType.methodType(int.class, type)).invoke(argument);
        System.out.println(seen + " gives " + result + " " + Thread.holdsLock(c));
    }

    public static void main(String[] args) throws Throwable {
        Class<?> c = changed();
        pop(c, "reference", Object.class, "argument", 6);
        pop(c, "number", int.class, 7, 10);
        pop(c, "other", StringBuilder.class, new StringBuilder("abc"), 7);
    }
}
