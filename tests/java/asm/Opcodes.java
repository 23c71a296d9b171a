// SPDX-License-Identifier: Apache-2.0
// Instructions and shapes that javac seldom or never writes: stack shuffles, wide forms, odd switches, partial
// multianewarray, unbalanced monitors, clone of arrays, comparisons, constants.
// @quick
public class Opcodes {
    static int n;

    static void i(String what, Object... ops) {
        Asm.t(what, () -> {
            Asm a = Asm.simple(49, "O" + n++);
            Asm.Code c = a.method(9, "m", "()I").size(20, 300);
            for (Object o : ops) {
                if (o instanceof String) {
                    String s = (String) o;
                    if (s.startsWith(":")) {
                        c.label(s.substring(1));
                    } else {
                        String[] p = s.split(" ");
                        c.jump(Integer.parseInt(p[0], 16), p[1]);
                    }
                } else {
                    c.op((Integer) o);
                }
            }
            return Asm.run(a);
        });
    }

    public static void main(String[] args) throws Throwable {
        // 10a+b folding: bipush 10 imul iadd
        i("swap", 0x04, 0x05, 0x5f, 0x10, 10, 0x68, 0x60, 0xac);
        i("dup_x1", 0x04, 0x05, 0x5a, 0x60, 0x60, 0xac);
        i("dup_x2", 0x04, 0x05, 0x06, 0x5b, 0x68, 0x60, 0x68, 0xac);
        i("dup_x2 over long", 0x0a, 0x06, 0x5b, 0x57, 0x88, 0x60, 0xac);
        i("dup2", 0x04, 0x05, 0x5c, 0x68, 0x60, 0x60, 0xac);
        i("dup2 long", 0x0a, 0x5c, 0x61, 0x88, 0xac);
        i("dup2_x1", 0x06, 0x04, 0x05, 0x5d, 0x60, 0x60, 0x60, 0x68, 0xac);
        i("dup2_x1 long", 0x06, 0x0a, 0x5d, 0x88, 0x60, 0x57, 0x88, 0xac);
        i("dup2_x2", 0x06, 0x07, 0x04, 0x05, 0x5e, 0x68, 0x60, 0x68, 0x60, 0x60, 0xac);
        i("dup2_x2 long long", 0x0a, 0x0a, 0x0a, 0x61, 0x5e, 0x61, 0x65, 0x88, 0xac);
        i("pop2", 0x04, 0x05, 0x06, 0x58, 0xac);
        i("nop", 0x00, 0x00, 0x08, 0x00, 0xac);
        i("wide iinc", 0x03, 0xc4, 0x36, 1, 20, 0xc4, 0x84, 1, 20, 0x80, 0x00, 0xc4, 0x15, 1, 20, 0xac);
        i("wide long", 0x0a, 0xc4, 0x37, 1, 0, 0xc4, 0x16, 1, 0, 0x88, 0xac);
        i("wide float double", 0x0c, 0xc4, 0x38, 1, 5, 0x0f, 0xc4, 0x39, 1, 6, 0xc4, 0x17, 1, 5, 0xc4, 0x18, 1, 6, 0x8e, 0x5f, 0x8b, 0x60, 0xac);
        i("fcmpl nan", 0x0b, 0x0b, 0x6e, 0x0c, 0x95, 0xac);
        i("fcmpg nan", 0x0b, 0x0b, 0x6e, 0x0c, 0x96, 0xac);
        i("dcmpl nan", 0x0e, 0x0e, 0x6f, 0x0f, 0x97, 0xac);
        i("dcmpg nan", 0x0e, 0x0e, 0x6f, 0x0f, 0x98, 0xac);
        i("lcmp", 0x09, 0x0a, 0x94, 0xac);
        i("int as boolean array", 0x05, 0xbc, 4, 0x59, 0x03, 0x10, 7, 0x54, 0x03, 0x33, 0xac);
        i("int as byte array", 0x05, 0xbc, 8, 0x59, 0x03, 0x11, 1, 0x80, 0x54, 0x03, 0x33, 0xac);
        i("int as char array", 0x05, 0xbc, 5, 0x59, 0x03, 0x02, 0x55, 0x03, 0x34, 0xac);
        i("int as short array", 0x05, 0xbc, 9, 0x59, 0x03, 0x11, 0x90, 0, 0x56, 0x03, 0x35, 0xac);
        i("backward", 0x03, 0x3b, "a7 test", ":body", 0x84, 0, 1, ":test", 0x1a, 0x10, 9, "a1 body", 0x1a, 0xac);
        i("branch kinds", 0x03, 0x3b, 0x02, "9b a", 0x03, 0xac, ":a", 0x01, "c6 b", 0x04, 0xac, ":b", 0x84, 0, 5, 0x01, 0x01, "a6 c", 0x1a, 0xac, ":c", 0x05, 0xac);
        i("athrow null", 0x01, 0xbf);
        i("null array", 0x01, 0xbe, 0xac);
        i("exit without enter", 0x10, 1, 0xbc, 10, 0xc3, 0x08, 0xac);
        // Not compared: returning with a monitor held. JVMS 2.11.10 lets a VM enforce structured locking, HotSpot does.
        Asm.t("tableswitch paddings", () -> {
            StringBuilder sb = new StringBuilder();
            for (int pad = 0; pad < 4; pad++) {
                for (int v : new int[] {-3, -2, 0, 1, 2}) {
                    Asm a = Asm.simple(49, "T" + pad + "_" + (v + 5));
                    Asm.Code c = a.method(9, "m", "()I");
                    for (int k = 0; k < pad; k++) {
                        c.op(0);
                    }
                    c.op(0x10, v & 255);
                    int base = c.pc();
                    c.op(0xaa);
                    while (c.pc() % 4 != 0) {
                        c.op(0);
                    }
                    c.offset(base, "def").u4(-2).u4(1).offset(base, "a").offset(base, "b").offset(base, "a").offset(base, "b");
                    c.label("a").op(0x04, 0xac).label("b").op(0x05, 0xac).label("def").op(0x02, 0xac);
                    sb.append(Asm.run(a)).append(' ');
                }
            }
            return sb;
        });
        Asm.t("empty lookupswitch", () -> {
            Asm a = Asm.simple(49, "LS");
            Asm.Code c = a.method(9, "m", "()I").op(0x04);
            int base = c.pc();
            c.op(0xab);
            while (c.pc() % 4 != 0) {
                c.op(0);
            }
            c.offset(base, "def").u4(0).label("def").op(0x08, 0xac);
            return Asm.run(a);
        });
        Asm.t("partial multianewarray", () -> {
            Asm a = Asm.simple(52, "MA");
            a.method(9, "m", "()Ljava/lang/Object;").op(0x05, 0x06).op2(0xc5, a.cls("[[[[J")).op(2).op(0xb0);
            Object[][] o = (Object[][]) Asm.run(a);
            return o.length + " " + o[1].length + " " + o[1][2] + " " + o.getClass();
        });
        Asm.t("array clone", () -> {
            Asm a = Asm.simple(52, "CL");
            a.method(9, "m", "()Ljava/lang/Object;").op(0x08, 0xbc, 10).invokeVirtual("[I", "clone", "()Ljava/lang/Object;").op(0xb0);
            return ((int[]) Asm.run(a)).length;
        });
        Asm.t("getClass of an array through Object", () -> {
            Asm a = Asm.simple(52, "GC");
            a.method(9, "m", "()Ljava/lang/Object;").op(0x08, 0xbc, 10).invokeVirtual("[I", "getClass", "()Ljava/lang/Class;").op(0xb0);
            return Asm.run(a);
        });
        Asm.t("constants", () -> {
            Asm a = Asm.simple(52, "K");
            Asm.Code c = a.method(9, "m", "()D").ldc(a.integer(-7)).op(0x87).ldc(a.flt(1.5f)).op(0x8d, 0x63).op2(0x14, a.lng(1L << 33)).op(0x8a, 0x63).op2(0x14, a.dbl(0.25)).op(0x63, 0xaf);
            return Asm.run(a);
        });
        Asm.t("ldc class handle type", () -> {
            Asm a = Asm.simple(52, "KC");
            a.method(9, "m", "()Ljava/lang/Object;").op(0x06).op2(0xbd, a.cls("java/lang/Object")).op(0x59, 0x03).ldc(a.cls("[[I")).op(0x53, 0x59, 0x04)
                .ldc(a.handle(6, a.mref("java/lang/Math", "abs", "(I)I"))).op(0x53, 0x59, 0x05).ldc(a.mtype("(IJ)Ljava/lang/String;")).op(0x53, 0xb0);
            return java.util.Arrays.toString((Object[]) Asm.run(a));
        });
        Asm.t("method handle kinds", () -> {
            Asm a = Asm.simple(52, "KH");
            a.field(9, "s", "I").field(1, "f", "I");
            a.method(9, "m", "()Ljava/lang/Object;").op(0x10, 8).op2(0xbd, a.cls("java/lang/Object")).op(0x59, 0x03).ldc(a.handle(1, a.fref("KH", "f", "I"))).op(0x53, 0x59, 0x04)
                .ldc(a.handle(2, a.fref("KH", "s", "I"))).op(0x53, 0x59, 0x05).ldc(a.handle(3, a.fref("KH", "f", "I"))).op(0x53, 0x59, 0x06).ldc(a.handle(4, a.fref("KH", "s", "I"))).op(0x53, 0x59, 0x07)
                .ldc(a.handle(5, a.mref("java/lang/String", "length", "()I"))).op(0x53, 0x59, 0x08).ldc(a.handle(8, a.mref("java/lang/Object", "<init>", "()V"))).op(0x53, 0x59, 0x10, 6)
                .ldc(a.handle(9, a.iref("java/lang/Runnable", "run", "()V"))).op(0x53, 0x59, 0x10, 7).ldc(a.handle(7, a.mref("KH", "toString", "()Ljava/lang/String;"))).op(0x53, 0xb0);
            return java.util.Arrays.toString((Object[]) Asm.run(a));
        });
        Asm.t("interface reference to Object's method", () -> {
            Asm a = Asm.simple(52, "IO");
            a.method(9, "m", "()I").ldc(a.str("x")).invokeInterface("java/lang/CharSequence", "hashCode", "()I", 1).op(0xac);
            return Asm.run(a);
        });
        Asm.t("invokeinterface on a private interface method", () -> {
            Asm i = new Asm(55, Asm.PUB | Asm.IFACE | Asm.ABSTRACT, "IP", "java/lang/Object");
            i.method(Asm.PRIV, "p", "()I").size(2, 2).op(0x08, 0xac);
            i.method(9, "call", "(LIP;)I").size(2, 2).op(0x2a).invokeInterface("IP", "p", "()I", 1).op(0xac);
            Asm a = new Asm(55, 33, "IPC", "java/lang/Object", "IP");
            a.constructor("java/lang/Object");
            a.method(1, "p", "()I").op(0x02, 0xac);
            a.method(9, "m", "()I").create("IPC").op2(0xb8, a.iref("IP", "call", "(LIP;)I")).op(0xac);
            return Asm.run(a, i);
        });
        Asm.t("invokevirtual on a private method", () -> {
            Asm a = Asm.simple(55, "VP");
            a.method(Asm.PRIV, "p", "()I").op(0x08, 0xac);
            a.method(9, "m", "()I").create("VP").invokeVirtual("VP", "p", "()I").op(0xac);
            return Asm.run(a);
        });
        Asm.t("super call skips a level", () -> {
            Asm g = Asm.simple(52, "GG");
            g.method(1, "who", "()I").op(0x04, 0xac);
            Asm p = new Asm(52, 33, "PP", "GG").constructor("GG");
            p.method(1, "who", "()I").op(0x05, 0xac);
            Asm c = new Asm(52, 33, "CC", "PP").constructor("PP");
            c.method(1, "who", "()I").op(0x06, 0xac);
            c.method(1, "up", "()I").op(0x2a).invokeSpecial("GG", "who", "()I").op(0xac);
            c.method(9, "m", "()I").create("CC").invokeVirtual("CC", "up", "()I").op(0xac);
            return Asm.run(c, p, g);
        });
    }
}
