// SPDX-License-Identifier: Apache-2.0
// Protected members of a class of another package (JVMS 5.4.4): through the class itself, what is below it, its super, and a
// sibling, through which only a static one may be used.
// @quick
public class Protected {
    static final int PROTECTED = 4, STATIC = 8;
    static final int ALOAD_0 = 0x2a, BIPUSH = 0x10, IRETURN = 0xac, GETSTATIC = 0xb2, GETFIELD = 0xb4;

    static Asm type(String name, String sup) {
        Asm a = new Asm(52, Asm.PUB | Asm.SUPER, name, sup);
        a.constructor(sup);
        return a;
    }

    // User extends p.Base; its m() uses a member of p.Base that it names as one of `through`, on a new object of `of`.
    static void t(String through, String of) {
        Asm base = type("p/Base", "java/lang/Object");
        base.field(PROTECTED, "f", "I").field(PROTECTED | STATIC, "s", "I");
        base.method(PROTECTED, "instance", "()I").op(BIPUSH, 7, IRETURN);
        base.method(PROTECTED | STATIC, "common", "()I").op(BIPUSH, 8, IRETURN);
        Asm user = type("q/User", "p/Base");
        user.method(9, "method", "()I").create(of).invokeVirtual(through, "instance", "()I").op(IRETURN);
        user.method(9, "staticMethod", "()I").invokeStatic(through, "common", "()I").op(IRETURN);
        user.method(9, "field", "()I").create(of).op2(GETFIELD, user.fref(through, "f", "I")).op(IRETURN);
        user.method(9, "staticField", "()I").op2(GETSTATIC, user.fref(through, "s", "I")).op(IRETURN);
        Asm.Loader loader = new Asm.Loader("L", base, user, type("q/Below", "q/User"), type("r/Sibling", "p/Base"));
        for (String m : new String[] {"method", "staticMethod", "field", "staticField"})
            Asm.t(through + " of " + of + " " + m, () -> loader.loadClass("q.User").getMethod(m).invoke(null));
    }

    public static void main(String[] args) {
        t("q/User", "q/User");
        t("q/Below", "q/Below");
        t("p/Base", "q/User");
        t("p/Base", "q/Below");
        t("r/Sibling", "r/Sibling");
    }
}
