// SPDX-License-Identifier: Apache-2.0
// Which entry of an exception table catches: where its range begins and ends, the first that fits, any type, and one whose class
// is missing, which is found out only when an exception comes by.
// @flags -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote
// @quick
// @modes moving
public class Handlers {
    static final int NOP = 0, ICONST_0 = 3, ICONST_1 = 4, BIPUSH = 0x10, POP = 0x57, IDIV = 0x6c, IRETURN = 0xac;
    static final String ARITHMETIC = "java/lang/ArithmeticException";

    interface Table {
        void fill(Asm.Code c);
    }

    // Divides by zero between the labels b and c. Handlers give 77 and 78.
    static void t(String name, Table table) {
        Asm.t(name, () -> {
            Asm a = Asm.simple(48, "H" + name.replace(' ', '_'));
            Asm.Code c = a.method(9, "m", "()I");
            c.label("a").op(ICONST_1, ICONST_0).label("b").op(IDIV).label("c").op(NOP).label("d").op(IRETURN);
            c.label("first").op(POP, BIPUSH, 77, IRETURN).label("second").op(POP, BIPUSH, 78, IRETURN);
            table.fill(c);
            return Asm.run(a);
        });
    }

    public static void main(String[] args) {
        t("begins there", c -> c.handler("b", "d", "first", ARITHMETIC));
        t("ends behind it", c -> c.handler("a", "c", "first", ARITHMETIC));
        t("that alone", c -> c.handler("b", "c", "first", ARITHMETIC));
        t("ends there", c -> c.handler("a", "b", "first", ARITHMETIC));
        t("begins behind it", c -> c.handler("c", "d", "first", ARITHMETIC));
        t("two that fit", c -> {
            c.handler("a", "d", "first", "java/lang/Exception");
            c.handler("b", "c", "second", ARITHMETIC);
        });
        t("a missing class, and one around that catches its error", c -> {
            c.handler("b", "c", "first", "Missing");
            c.handler("a", "second", "second", "java/lang/NoClassDefFoundError");
        });
        t("a missing class, and one around that does not reach its handler", c -> {
            c.handler("b", "c", "first", "Missing");
            c.handler("a", "d", "second", "java/lang/NoClassDefFoundError");
        });
        t("the second fits", c -> {
            c.handler("a", "d", "first", "java/lang/NullPointerException");
            c.handler("a", "d", "second", ARITHMETIC);
        });
        t("any", c -> {
            c.handler("a", "d", "first", "java/lang/Error");
            c.handler("a", "d", "second", null);
        });
        t("missing", c -> c.handler("a", "d", "first", "gone/Missing"));
        t("missing before one that fits", c -> {
            c.handler("a", "d", "first", "gone/Missing");
            c.handler("a", "d", "second", ARITHMETIC);
        });
        t("missing behind one that fits", c -> {
            c.handler("a", "d", "first", ARITHMETIC);
            c.handler("a", "d", "second", "gone/Missing");
        });
        t("missing elsewhere", c -> {
            c.handler("c", "d", "first", "gone/Missing");
            c.handler("b", "c", "second", ARITHMETIC);
        });
    }
}
