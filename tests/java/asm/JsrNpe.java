// SPDX-License-Identifier: Apache-2.0
// Helpful NullPointerException messages in code with subroutines: within one the source is known, behind one it is not.
// @quick
public class JsrNpe {
    static void t(String what, Asm a) {
        Asm.t(what, () -> {
            try {
                return Asm.run(a);
            } catch (NullPointerException e) {
                return e.getMessage();
            }
        });
    }

    public static void main(String[] args) {
        Asm a = Asm.simple(48, "N1");
        a.method(9, "m", "()I").op(0x01, 0x4b).jump(0xa8, "sub").op(0x2a, 0xbe, 0xac) // arraylength of local 0
            .label("sub").op(0x4c).op(0xa9, 1);
        t("behind", a);
        a = Asm.simple(48, "N2");
        a.method(9, "m", "()I").op(0x01, 0x4b).jump(0xa8, "sub").op(0x03, 0xac)
            .label("sub").op(0x4c).op(0x2a, 0xbe, 0x57).op(0xa9, 1);
        t("within", a);
        a = Asm.simple(48, "N3");
        a.method(9, "p", "([I)I").jump(0xa8, "sub").op(0x2a, 0xbe, 0xac).label("sub").op(0x4c).op(0x01, 0x4b).op(0xa9, 1);
        a.method(9, "m", "()I").op(0x01).invokeStatic("N3", "p", "([I)I").op(0xac);
        t("writes a parameter", a);
        a = Asm.simple(48, "N4");
        a.method(9, "p", "([I)I").jump(0xa8, "sub").op(0x2a, 0xbe, 0xac).label("sub").op(0x4c).op(0xa9, 1);
        a.method(9, "m", "()I").op(0x01).invokeStatic("N4", "p", "([I)I").op(0xac);
        t("leaves a parameter", a);
        a = Asm.simple(48, "N5");
        a.method(9, "p", "([I)I").op(0x01, 0x4d).jump(0xa8, "sub").op(0x01, 0x4b).jump(0xa8, "sub").op(0x03, 0xac)
            .label("sub").op(0x4c).op(0x2a, 0xbe, 0x57).op(0xa9, 1);
        a.method(9, "m", "()I").op(0x01).invokeStatic("N5", "p", "([I)I").op(0xac);
        t("of one caller", a);
        a = Asm.simple(48, "N6");
        a.method(9, "m", "()I").op(0x01).jump(0xa8, "sub").op(0xbe, 0xac).label("sub").op(0x4c).op(0xa9, 1);
        t("an operand below", a);
        a = Asm.simple(48, "N7");
        a.method(9, "m", "()I").jump(0xa8, "sub").op(0xbe, 0xac).label("sub").op(0x4c).op(0x01).op(0xa9, 1);
        t("an operand that it leaves", a);
        a = Asm.simple(48, "N8");
        a.method(9, "m", "()I").op(0x01, 0x4d).jump(0xa8, "one").op(0x2c, 0xbe, 0xac)
            .label("one").op(0x4b).jump(0xc9, "two").op(0xa9, 0).label("two").op(0x4c).op(0xc4, 0xa9, 0, 1);
        t("nested", a);
        a = Asm.simple(48, "N9");
        a.method(9, "p", "(I[I[I)I").op(0x1a).jump(0x99, "else").op(0x2c, 0x4e).jump(0xa8, "sub").op(0x03, 0xac)
            .label("else").op(0x01, 0x4c, 0x2b, 0x4e).jump(0xa8, "sub").op(0x03, 0xac)
            .label("sub").op(0x3a, 4).op(0x2b, 0xbe, 0x57).op(0xa9, 4);
        a.method(9, "m", "()I").op(0x03, 0x01, 0x01).invokeStatic("N9", "p", "(I[I[I)I").op(0xac);
        t("two callers", a);
    }
}
