// SPDX-License-Identifier: Apache-2.0
// The order in which the references out of one object are reported. None is specified; agents show the first of several to one object.
// @agent ti_reference_order
// @quick
import java.lang.ref.WeakReference;

public class ReferenceOrder {
    static final Object[] keep = new Object[40];

    static native void tag(Object o, long tag);

    static native void show(Object o);

    static Object make(int tag) {
        keep[tag] = new Object();
        tag(keep[tag], tag);
        return keep[tag];
    }

    static class Base {
        Object a = make(1);
        int number;
        Object b = make(2);
        long wide;
        Object c = make(3);
    }

    interface Constants {
        Object FIRST = new Object();
    }

    static class Derived extends Base implements Constants {
        static Object one = make(4), two = make(5);
        static int count;
        static Object three = make(6);
        Object d = make(7);
        Object e = make(8);
    }

    static class Weak extends WeakReference<Object> {
        Object f = make(9);
        Object g = make(10);

        Weak() {
            super(make(11));
        }
    }

    public static void main(String[] args) {
        show(new Base());
        show(new Derived());
        show(Derived.class);
        show(new Weak());
        show(new Object[] {make(21), make(22), make(23)});
    }
}
