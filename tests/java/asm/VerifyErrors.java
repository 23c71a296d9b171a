// SPDX-License-Identifier: Apache-2.0
// Code that must not pass verification, by the type checker (version 55) and by inference (version 49); the class of the error.
// @quick
public class VerifyErrors {
    static int n;

    interface Body {
        void in(Asm a, Asm.Code c);
    }

    static void one(String what, int version, String desc, Body b) {
        String r;
        Asm a = Asm.simple(version, "V" + n++);
        Asm.Code c = a.method(9, "m", desc).size(4, 4);
        b.in(a, c);
        try {
            Class<?> k = Class.forName(a.name, true, new Asm.Loader("L", a));
            r = "accepted " + k.getDeclaredMethods().length;
        } catch (Throwable e) {
            r = e.getClass().getName();
        }
        System.out.println(what + " " + version + ": " + r);
    }

    static void t(String what, String desc, Body b) {
        one(what, 55, desc, b);
        one(what, 49, desc, b);
    }

    public static void main(String[] args) {
        t("fine", "()I", (a, c) -> c.op(0x03, 0xac));
        t("underflow", "()I", (a, c) -> c.op(0x60, 0xac));
        t("overflow", "()I", (a, c) -> c.op(0x03, 0x03, 0x03, 0x03, 0x03, 0x57, 0x57, 0x57, 0x57, 0xac));
        t("falls off", "()I", (a, c) -> c.op(0x03));
        t("wrong result", "()Ljava/lang/Object;", (a, c) -> c.op(0x03, 0xb0));
        t("return of nothing", "()I", (a, c) -> c.op(0xb1));
        t("return of too much", "()V", (a, c) -> c.op(0x03, 0xac));
        t("local unset", "()I", (a, c) -> c.op(0x1b, 0xac));
        t("local too high", "()I", (a, c) -> c.op(0x15, 9, 0xac));
        t("local as another type", "(F)I", (a, c) -> c.op(0x1a, 0xac));
        t("half a long", "(J)I", (a, c) -> c.op(0x1b, 0xac));
        t("split a long", "()V", (a, c) -> c.op(0x09, 0x57, 0x57, 0xb1));
        t("swap a long", "()V", (a, c) -> c.op(0x09, 0x03, 0x5f, 0x57, 0x58, 0xb1));
        t("int as reference", "()V", (a, c) -> c.op(0x04).invokeVirtual("java/lang/Object", "hashCode", "()I").op(0x57, 0xb1));
        t("float plus int", "()I", (a, c) -> c.op(0x0b, 0x03, 0x60, 0xac));
        t("object as string", "(Ljava/lang/Object;)I", (a, c) -> c.op(0x2a).invokeVirtual("java/lang/String", "length", "()I").op(0xac));
        t("object as interface", "(Ljava/lang/Object;)I", (a, c) -> c.op(0x2a).invokeInterface("java/lang/CharSequence", "length", "()I", 1).op(0xac));
        t("uninitialized object", "()V", (a, c) -> c.op2(0xbb, a.cls("java/lang/Object")).invokeVirtual("java/lang/Object", "hashCode", "()I").op(0x57, 0xb1));
        t("init twice", "()V", (a, c) -> c.create("java/lang/Object").invokeSpecial("java/lang/Object", "<init>", "()V").op(0xb1));
        t("init of another class", "()V", (a, c) -> c.op2(0xbb, a.cls("java/lang/String")).invokeSpecial("java/lang/Object", "<init>", "()V").op(0xb1));
        t("call <init> as a method", "()V", (a, c) -> c.create("java/lang/Object").invokeVirtual("java/lang/Object", "<init>", "()V").op(0xb1));
        t("jump out", "()V", (a, c) -> c.op(0xa7, 0, 100, 0xb1));
        t("jump into an instruction", "()V", (a, c) -> c.op(0xa7, 0, 4, 0x10, 5, 0x57, 0xb1));
        t("no stack map", "()I", (a, c) -> c.op(0x03).jump(0x99, "x").op(0x04, 0xac).label("x").op(0x05, 0xac));
        t("stack depths differ", "()I", (a, c) -> c.op(0x03).jump(0x99, "x").op(0x04).label("x").op(0x05, 0xac));
        t("unreachable code", "()I", (a, c) -> c.op(0x03, 0xac, 0x60, 0xac));
        t("reserved opcode", "()V", (a, c) -> c.op(0xca, 0xb1));
        t("undefined opcode", "()V", (a, c) -> c.op(0xff, 0xb1));
        t("cut instruction", "()V", (a, c) -> c.op(0xb1, 0x10));
        t("ldc of a long", "()V", (a, c) -> c.ldc(a.lng(5)).op(0x57, 0xb1));
        t("ldc2 of an int", "()V", (a, c) -> c.op2(0x14, a.integer(5)).op(0x58, 0xb1));
        t("ldc of a method", "()V", (a, c) -> c.ldc(a.mref("x", "y", "()V")).op(0x57, 0xb1));
        t("ldc outside", "()V", (a, c) -> c.ldc(999).op(0x57, 0xb1));
        t("new of an array", "()V", (a, c) -> c.op2(0xbb, a.cls("[I")).op(0x57, 0xb1));
        t("newarray of type 3", "()V", (a, c) -> c.op(0x04, 0xbc, 3, 0x57, 0xb1));
        t("multianewarray of 0", "()V", (a, c) -> c.op2(0xc5, a.cls("[[I")).op(0, 0x57, 0xb1));
        t("multianewarray too deep", "()V", (a, c) -> c.op(0x04, 0x04, 0x04).op2(0xc5, a.cls("[[I")).op(3, 0x57, 0xb1));
        t("invokeinterface count", "()V", (a, c) -> c.op(0x01).invokeInterface("java/lang/Runnable", "run", "()V", 2).op(0xb1));
        t("invokeinterface zero byte", "()V", (a, c) -> c.op(0x01).op2(0xb9, a.iref("java/lang/Runnable", "run", "()V")).op(1, 1, 0xb1));
        t("athrow of an int", "()V", (a, c) -> c.op(0x04, 0xbf));
        t("athrow of an object", "(Ljava/lang/Object;)V", (a, c) -> c.op(0x2a, 0xbf));
        t("array of ints as bytes", "([I)I", (a, c) -> c.op(0x2a, 0x03, 0x33, 0xac));
        t("arraylength of an object", "(Ljava/lang/Object;)I", (a, c) -> c.op(0x2a, 0xbe, 0xac));
        t("store int into objects", "([Ljava/lang/Object;)V", (a, c) -> c.op(0x2a, 0x03, 0x04, 0x53, 0xb1));
        t("iinc of a float", "(F)V", (a, c) -> c.op(0x84, 0, 1, 0xb1));
        t("wide of nop", "()V", (a, c) -> c.op(0xc4, 0, 0, 0, 0xb1));
        t("missing argument", "()V", (a, c) -> c.op(0x04).invokeStatic("java/lang/Math", "max", "(II)I").op(0x57, 0xb1));
        t("wrong argument", "()V", (a, c) -> c.op(0x04, 0x0b).invokeStatic("java/lang/Math", "max", "(II)I").op(0x57, 0xb1));
        t("missing class needs no load", "(Lno/Such;)V", (a, c) -> c.op(0x2a).invokeStatic("no/Other", "m", "(Lno/Such;)V").op(0xb1));
        t("missing class as another", "(Lno/Such;)V", (a, c) -> c.op(0x2a).invokeStatic("no/Other", "m", "(Lno/Such2;)V").op(0xb1));
        t("tableswitch backwards", "()V", (a, c) -> c.op(0x03, 0xaa, 0, 0).u4(3).u4(5).u4(1).op(0xb1));
        t("catch of no throwable", "()V", (a, c) -> c.label("a").op(0).label("b").op(0xb1).label("h").op(0x57, 0xb1).handler("a", "b", "h", "java/lang/String"));
        one("constructor without super call", 55, "()V", (a, c) -> {
            a.method(1, "<init>", "(I)V").op(0xb1);
            c.op(0xb1);
        });
        one("constructor without super call", 49, "()V", (a, c) -> {
            a.method(1, "<init>", "(I)V").op(0xb1);
            c.op(0xb1);
        });
        one("field of this before super", 55, "()V", (a, c) -> {
            a.field(1, "x", "I");
            a.method(1, "<init>", "(J)V").op(0x2a, 0x04).op2(0xb5, a.fref(a.name, "x", "I")).op(0x2a).invokeSpecial("java/lang/Object", "<init>", "()V").op(0xb1);
            c.op(0xb1);
        });
        one("read this before super", 55, "()V", (a, c) -> {
            a.field(1, "x", "I");
            a.method(1, "<init>", "(J)V").op(0x2a).op2(0xb4, a.fref(a.name, "x", "I")).op(0x57, 0x2a).invokeSpecial("java/lang/Object", "<init>", "()V").op(0xb1);
            c.op(0xb1);
        });
        one("protected of a stranger", 55, "(Ljava/lang/Object;)V", (a, c) -> c.op(0x2a).invokeVirtual("java/lang/Object", "clone", "()Ljava/lang/Object;").op(0x57, 0xb1));
        one("invokespecial of a stranger", 55, "()V", (a, c) -> c.create("java/lang/Object").invokeSpecial("java/lang/String", "length", "()I").op(0x57, 0xb1));
        Asm.t("long method", () -> {
            Asm a = Asm.simple(52, "Long");
            Asm.Code c = a.method(9, "m", "()I");
            for (int i = 0; i < 5000; i++) {
                c.op(0x00);
            }
            c.op(0x01, 0xac);
            return Asm.run(a);
        });
    }
}
