// SPDX-License-Identifier: Apache-2.0
// Locals of a class without a LocalVariableTable: which slots can be read as what, before and after they are set.
// @agent ti_plain_locals
// @javac -g:none
// @quick
public class PlainLocals {
    static native void look(String where);

    static void set(boolean flag, long wide) {
        look("arguments only");
        int i = 1;
        String s = "s";
        double d = 2;
        look("all set");
        if (flag) {
            Object inner = s;
            float f = 3;
            look("in a block" + inner + f);
        }
        look("after the block");
        if (flag)
            s.length();
        long after = wide + i + (long) d;
        look("at the end" + after);
    }

    static void different(boolean flag) {
        if (flag) {
            int number = 1;
            look("a number " + number);
        } else {
            Object object = "o";
            look("an object " + object);
        }
        look("either");
    }

    void instance(Object o) {
        look("instance");
        for (String each : new String[] {"x"})
            look("loop " + each);
    }

    public static void main(String[] args) {
        set(true, 4);
        set(false, 5);
        different(true);
        different(false);
        new PlainLocals().instance(null);
    }
}
