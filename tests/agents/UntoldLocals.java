// SPDX-License-Identifier: Apache-2.0
// Objects written into variables of methods without a LocalVariableTable: only those that the verified code can take.
// HotSpot writes any object there; what the code then does with it is anything.
// @only pellucid
// @agent ti_untold_locals
// @javac -g:none
// @quick
import java.util.ArrayList;
import java.util.List;

public class UntoldLocals {
    static class Sub extends UntoldLocals {
    }

    // SetLocalObject in the caller's frame.
    static native int put(int slot, Object o);

    static void told(String what, int error) {
        System.out.println(what + ": " + error);
    }

    static void parameters(String s, long wide, Object o, int[] numbers, Runnable r) {
        told("String", put(0, 1) + put(0, "other"));
        told("Object", put(3, 1));
        told("int[]", put(4, new long[1]) + put(4, new int[] {7}));
        told("Runnable", put(5, "no") + put(5, Thread.currentThread()));
        System.out.println(s + wide + o + numbers[0] + (r == Thread.currentThread()));
    }

    static void stored(Object parameter) {
        parameter = "was";
        List<Object> list = new ArrayList<>();
        String none = null;
        long wide = 7;
        told("stored parameter", put(0, 1) + put(0, "is"));
        told("variable", put(1, "no") + put(1, new ArrayList<>(List.of(3))));
        told("null", put(2, "no") + put(2, null));
        told("wide", put(3, "no"));
        System.out.println(parameter + " " + list + none + wide);
    }

    static void besideStored(Object first, Object second) {
        first = "was";
        told("beside a stored parameter", put(1, 1));
        System.out.println(first + " " + second);
    }

    void instance() {
        told("this", put(0, "no") + put(0, new Sub()));
        System.out.println(getClass());
    }

    public static void main(String[] args) {
        parameters("s", 2, null, new int[] {1}, null);
        stored(null);
        besideStored(null, null);
        new UntoldLocals().instance();
    }
}
