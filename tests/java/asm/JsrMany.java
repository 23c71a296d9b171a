// SPDX-License-Identifier: Apache-2.0
// Nested subroutines: each calls the next one twice, so that the ways through them double. With more than can be followed when a frame is
// looked at, the class is refused.
// @only pellucid
public class JsrMany {
    // Local 0 counts the calls of the innermost one; the return address of subroutine i is in local i + 1.
    static Object nested(int levels, String name) throws Throwable {
        Asm a = Asm.simple(49, name);
        Asm.Code c = a.method(9, "m", "()I").size(4, 20).op(0x03, 0x3b).jump(0xa8, "s0").op(0x1a, 0xac);
        for (int i = 0; i < levels; i++) {
            c.label("s" + i).op(0x3a, i + 1);
            if (i + 1 < levels)
                c.jump(0xa8, "s" + (i + 1)).jump(0xa8, "s" + (i + 1));
            else
                c.op(0x84, 0, 1);
            c.op(0xa9, i + 1);
        }
        return Asm.run(a);
    }

    public static void main(String[] args) {
        Asm.t("10 levels", () -> nested(10, "Ten"));
        Asm.t("15 levels", () -> nested(15, "Fifteen"));
    }
}
