// SPDX-License-Identifier: Apache-2.0
// What a class refers to in the eyes of a heap walk: nothing before it is linked, and never what
// the fields of its java.lang.Class object hold.
// @quick
// @agent ti_class_edges
public class ClassEdges {
    static native void follow(Class<?> c);

    static class Plain {
        static int number = 3;
        static Object text = "text";
        int field;
        Object reference;
    }

    interface Constants {
        int LENGTH = "abc".length();
        Object OBJECT = new Object();
    }

    static class Derived extends Plain implements Constants {
        static long value = 1;
    }

    enum Colour {
        RED,
        GREEN
    }

    static class Unlinked extends Plain {
    }

    public static void main(String[] args) throws Exception {
        follow(Unlinked.class);
        Unlinked.class.getName();
        follow(Unlinked.class);
        new Derived();
        Class.forName("ClassEdges$Constants");
        Colour.class.getEnumConstants();
        Class<?>[] classes = {Plain.class, Derived.class, Constants.class, Colour.class, Plain[].class, int.class,
                int[].class, Class.class};
        for (Class<?> c : classes)
            follow(c);
    }
}
