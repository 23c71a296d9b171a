// SPDX-License-Identifier: Apache-2.0
// Messages of format errors that hold long names: how much of them is left.
// @quick
public class LongMessages {
    static void t(String what, Asm a) {
        try {
            System.out.println(Class.forName("Dup", false, new Asm.Loader("L", a)));
        } catch (ClassNotFoundException | LinkageError e) {
            String m = e.getMessage();
            System.out.println(what + ": " + e.getClass().getName() + ", " + m.length() + " characters, " + m.hashCode() + ", " + m.substring(m.length() - 20));
        }
    }

    public static void main(String[] args) {
        for (int n : new int[] {100, 440, 450, 470, 600, 940, 960, 1000, 1100, 30000}) {
            String name = "a".repeat(n);
            Asm twice = Asm.simple(55, "Dup");
            twice.method(1, name, "()V").op(0xb1);
            twice.method(1, name, "()V").op(0xb1);
            t(n + " duplicate", twice);
            Asm illegal = Asm.simple(55, "Dup");
            illegal.method(1, name + ";", "()V").op(0xb1);
            t(n + " illegal", illegal);
        }
    }
}
