// SPDX-License-Identifier: Apache-2.0
// Subroutines of old class files: jsr, jsr_w, ret, wide ret, nested, merged types, with collections inside; goto_w.
// @quick
public class JsrRet {
    public static void main(String[] args) {
        Asm.t("simple", () -> {
            Asm a = Asm.simple(48, "S1");
            a.method(9, "m", "()I").op(0x03, 0x3b).jump(0xa8, "sub").jump(0xa8, "sub").jump(0xc9, "sub").op(0x1a, 0xac)
                .label("sub").op(0x4c).op(0x84, 0, 7).op(0xa9, 1);
            return Asm.run(a);
        });
        Asm.t("nested", () -> {
            Asm a = Asm.simple(46, "S2");
            a.method(9, "m", "()I").op(0x03, 0x3b).jump(0xa8, "one").jump(0xa8, "two").op(0x1a, 0xac)
                .label("one").op(0x4c).op(0x84, 0, 1).jump(0xa8, "two").jump(0xa8, "two").op(0xa9, 1)
                .label("two").op(0x4d).op(0x84, 0, 10).op(0xc4, 0xa9, 0, 2);
            return Asm.run(a);
        });
        Asm.t("nested once", () -> {
            Asm a = Asm.simple(46, "S2b");
            a.method(9, "m", "()I").op(0x03, 0x3b).jump(0xa8, "one").jump(0xa8, "one").op(0x1a, 0xac)
                .label("one").op(0x4c).op(0x84, 0, 1).jump(0xa8, "two").jump(0xa8, "two").op(0xa9, 1)
                .label("two").op(0x4d).op(0x84, 0, 10).op(0xc4, 0xa9, 0, 2);
            return Asm.run(a);
        });
        Asm.t("collect inside", () -> {
            Asm a = Asm.simple(48, "S3");
            Asm.Code c = a.method(9, "m", "()Ljava/lang/Object;").op(0x10, 5, 0xbc, 10, 0x4b).jump(0xa8, "sub");
            c.ldc(a.str("second")).op(0x4b).jump(0xa8, "sub").op(0x2a, 0xb0)
                .label("sub").op(0x4c).invokeStatic("java/lang/System", "gc", "()V").op(0xa9, 1);
            return Asm.run(a);
        });
        Asm.t("different local types", () -> {
            Asm a = Asm.simple(48, "S4");
            a.method(9, "m", "()J").op(0x04, 0x3e).jump(0xa8, "sub").op(0x09, 0x42).jump(0xa8, "sub").op2(0x14, a.lng(1L << 40)).op(0x42).jump(0xa8, "sub").op(0x21, 0xad)
                .label("sub").op(0x4c).op(0x00).op(0xa9, 1);
            return Asm.run(a);
        });
        Asm.t("finally", () -> {
            Asm a = Asm.simple(48, "S5");
            Asm.Code c = a.method(9, "m", "()I").op(0x03, 0x3b).label("from").op(0x04, 0x03, 0x6c, 0x3b).label("to").jump(0xa8, "fin").jump(0xa7, "out")
                .label("any").op(0x4d).jump(0xa8, "fin").op(0x10, 100).op(0x1a, 0x60, 0xac)
                .label("fin").op(0x4c).op(0x84, 0, 5).op(0xa9, 1).label("out").op(0x1a, 0xac);
            c.handler("from", "to", "any", null);
            return Asm.run(a);
        });
        Asm.t("throw out of a subroutine", () -> {
            Asm a = Asm.simple(48, "S6");
            Asm.Code c = a.method(9, "m", "()I").op(0x03, 0x3b).label("from").jump(0xa8, "sub").label("to").op(0x1a, 0xac)
                .label("sub").op(0x4c, 0x04, 0x03, 0x6c, 0x3b, 0xa9, 1).label("sube").label("h").op(0x57, 0x10, 77, 0xac);
            c.handler("sub", "sube", "h", "java/lang/ArithmeticException");
            return Asm.run(a);
        });
        Asm.t("return out of a subroutine", () -> {
            Asm a = Asm.simple(48, "S7");
            a.method(9, "m", "()I").op(0x10, 9, 0x3b).jump(0xa8, "sub").op(0x03, 0xac).label("sub").op(0x57, 0x1a, 0xac);
            return Asm.run(a);
        });
        Asm.t("goto_w far", () -> {
            Asm a = Asm.simple(49, "S8");
            Asm.Code c = a.method(9, "m", "()I").op(0x03, 0x3b).jump(0xc8, "far").label("back").op(0x1a, 0xac).label("mid");
            for (int i = 0; i < 20000; i++) {
                c.op(0x84, 0, 1);
            }
            c.op(0x1a, 0xac).label("far").op(0x84, 0, 3).jump(0xc8, "back");
            return Asm.run(a);
        });
        Asm.t("long straight code", () -> {
            Asm a = Asm.simple(49, "S9");
            Asm.Code c = a.method(9, "m", "()I").op(0x03, 0x3b);
            for (int i = 0; i < 21000; i++) {
                c.op(0x84, 0, 1);
            }
            c.op(0x1a, 0xac);
            return Asm.run(a);
        });
        Asm.t("not in version 51", () -> {
            Asm a = Asm.simple(51, "S10");
            a.method(9, "m", "()I").op(0x03, 0x3b).jump(0xa8, "sub").op(0x1a, 0xac).label("sub").op(0x4c, 0xa9, 1);
            try {
                return Asm.run(a);
            } catch (VerifyError e) {
                return e.getClass();
            }
        });
        Asm.t("ret without address", () -> {
            Asm a = Asm.simple(48, "S11");
            a.method(9, "m", "()I").op(0x03, 0x3b, 0xa9, 0);
            try {
                return Asm.run(a);
            } catch (VerifyError e) {
                return e.getClass();
            }
        });
    }
}
