// SPDX-License-Identifier: Apache-2.0
// Slots of the compiler's own (a switch over strings has two) and variables out of scope, in a method that has a
// LocalVariableTable: which error each accessor gives.
// @agent ti_plain_locals
// @quick
public class SwitchLocals {
    static native void look(String where);

    static int pick(String s) {
        switch (s) {
        case "one":
            look("in a case");
            return 1;
        default:
            long wide = s.length();
            look("in the other, " + wide);
            return 2;
        }
    }

    static void reused(Object o) {
        {
            String inner = "inner";
            look(inner);
        }
        look("behind it");
        {
            int number = 1;
            look("now a number " + number);
        }
        for (Object each : new Object[] {o, null})
            look("in a loop " + (each == null));
    }

    static Object guarded(Object o) {
        synchronized (o) {
            try {
                look("in synchronized");
                return o;
            } finally {
                look("in finally");
            }
        }
    }

    public static void main(String[] args) {
        pick("one");
        pick("two");
        reused("o");
        guarded("g");
    }
}
