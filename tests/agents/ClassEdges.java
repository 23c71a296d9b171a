// SPDX-License-Identifier: Apache-2.0
// What a class refers to in the eyes of a heap walk: nothing before it is linked, and never what
// the fields of its java.lang.Class object hold. Of its constants the strings that were resolved, the classes that its loader
// has, and of arrays those that were resolved.
// @quick
// @agent ti_class_edges
public class ClassEdges {
    static native void follow(Class<?> c);

    static native void constants(Class<?> c);

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

    static class Made { }
    static class Never { static int field; static void run() { } }
    static class Caught extends RuntimeException { }

    static class Pool extends Plain implements Constants {
        static Object get(int i) {
            switch (i) {
            case 0: return "first";
            case 1: return "second";
            case 2: return new Made();
            case 3: return Made[].class;
            case 4: return new int[1][1];
            case 5: return int[].class;
            case 6: return Never.field;
            case 7: return LENGTH;
            case 8: return Colour[].class;
            case 9: return new Pool().reference;
            default: Never.run(); return null;
            }
        }

        static Object cast(Object o) {
            try {
                return o instanceof Never ? (Never) o : o;
            } catch (Caught e) {
                return e;
            }
        }
    }

    static void pool() {
        constants(Pool.class);
        for (int i = 0; i < 11; i++) {
            Pool.get(i);
            if (i == 5)
                Pool.cast(null);
            System.out.println("after " + i);
            constants(Pool.class);
        }
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
        pool();
    }
}
