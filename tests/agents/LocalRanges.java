// SPDX-License-Identifier: Apache-2.0
// Locals of a class with a LocalVariableTable, where the range of a variable begins and ends: it is valid at
// start_location + length still, the first instruction behind its block.
// @agent ti_plain_locals
// @javac -g
// @quick
public class LocalRanges {
    static native void look(String where);

    static native void lookOn();

    static void use(long value) {}

    // The call is the first instruction behind the block.
    static void ends() {
        System.out.println("at the end of an int");
        {
            int i = 1;
            use(i);
        }
        lookOn();
    }

    static void endsBefore() {
        {
            long wide = 2;
            use(wide);
        }
        look("further behind a long");
    }

    static void taken() {
        {
            String s = "s";
            s.length();
        }
        float f = 3;
        look("another in its place " + f);
    }

    public static void main(String[] args) {
        ends();
        endsBefore();
        taken();
        for (int i = 0; i < 2; i++)
            look("in a loop");
        look("behind a loop");
    }
}
