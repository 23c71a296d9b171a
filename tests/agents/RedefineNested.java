// SPDX-License-Identifier: Apache-2.0
// Two threads that each retransform the other's class from within ClassFileLoadHook; and one that does so while it links what the
// other one redefines. HotSpot hangs.
// @agent ti_redefine_nested
// @only pellucid
// @quick
class Nested1 {
    static String text() { return "one"; }
}
class Nested2 {
    static String text() { return "two"; }
}

class BaseOfNeeded { }
class NeededByLinked extends BaseOfNeeded { }
class Linked {
    static BaseOfNeeded make() { return new NeededByLinked(); } // the verifier loads the class
}

public class RedefineNested {
    static native void listen(Class<?> one, Class<?> other);

    static native int retransform(Class<?> c);

    static native int retransformLinking(Class<?> c);

    static void linking() throws Exception {
        Class<?> linked = Class.forName("Linked", false, RedefineNested.class.getClassLoader());
        Thread t = new Thread(() -> System.out.println(Linked.make() != null));
        t.start();
        int error = retransformLinking(linked);
        t.join();
        System.out.println(error);
    }

    public static void main(String[] args) throws Exception {
        System.out.println(Nested1.text() + " " + Nested2.text());
        listen(Nested1.class, Nested2.class);
        int[] error = {-1, -1};
        Thread t = new Thread(() -> error[0] = retransform(Nested1.class));
        t.start();
        error[1] = retransform(Nested2.class);
        t.join();
        System.out.println(error[0] + " " + error[1] + " " + Nested1.text() + " " + Nested2.text());
        linking();
    }
}
