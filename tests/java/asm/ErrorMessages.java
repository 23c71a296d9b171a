// SPDX-License-Identifier: Apache-2.0
// The words of ClassFormatError and VerifyError, one fault at a time, that damaged classes (MutantMessages) seldom show: names and
// descriptors in each kind of constant, names before Java 5, reserved opcodes and their lengths, far branches, fields of arrays.
// @quick
// @mask (?<=' )@[0-9a-f]+
// @jdk 17.0.19
public class ErrorMessages {
    static void t(String what, Asm a) {
        System.out.println(what + ": " + MutantMessages.verdict(a.bytes()));
    }

    static void constants() {
        for (String n : new String[] {"<init>", "<clinit>", "<x>", "a;b", "a<b", "", "[x", "ok"}) {
            for (String d : new String[] {"()V", "()I", "I", "X", "(X)V", ""}) {
                String what = "'" + n + "' '" + d + "'";
                Asm[] as = new Asm[9];
                for (int i = 0; i < as.length; i++) {
                    as[i] = Asm.simple(55, "P");
                }
                as[0].fref("P", n, d);
                as[1].mref("P", n, d);
                as[2].iref("P", n, d);
                as[3].nat(n, d);
                as[4].handle(5, as[4].mref("P", n, d));
                as[5].handle(8, as[5].mref("P", n, d));
                as[6].dynamic(false, n, d, as[6].handle(6, as[6].mref("Q", "b", "()V")));
                as[7].dynamic(true, n, d, as[7].handle(6, as[7].mref("Q", "b", "()V")));
                as[8].mtype(d);
                for (int i = 0; i < as.length; i++) {
                    t("constant " + i + " " + what, as[i]);
                }
            }
        }
    }

    static void oldNames() {
        for (int v : new int[] {45, 48, 49}) {
            for (String n : new String[] {"a-b", "a b", "1a", "a$_", "-", "<a", "\u00e9", "x/1"}) {
                String what = v + " '" + n + "'";
                t("field " + what, new Asm(v, 33, "P", "java/lang/Object").field(1, n, "I"));
                Asm a = new Asm(v, 0x621, "P", "java/lang/Object");
                a.method(0x401, n, "()V");
                t("method " + what, a);
                a = new Asm(v, 33, "P", "java/lang/Object");
                a.cls("p/" + n);
                t("class " + what, a);
                a = new Asm(v, 33, "P", "java/lang/Object");
                a.cls("[Lp/" + n + ";");
                t("array " + what, a);
                t("descriptor " + what, new Asm(v, 33, "P", "java/lang/Object").field(1, "f", "Lp/" + n + "/x;"));
            }
        }
    }

    // Where the next instruction begins is asked with an exception table that begins there.
    static void opcodes() {
        for (int op = 186; op < 256; op++) {
            for (int k : new int[] {1, 2, 3, 4, 5, 12}) {
                Asm a = Asm.simple(52, "P");
                Asm.Code c = a.method(9, "m", "()V").size(4, 4).op(op).op(new int[14]).op(0xb1);
                c.handlers.add(new int[] {k, 15, 14, 0});
                t("opcode " + op + " then " + k, a);
            }
        }
    }

    static void branches() {
        for (int at : new int[] {0, 5}) {
            for (int to : new int[] {65530, 65531, 65535, 65536, 65540, -1, -6, -65535, -65536, -65541, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                Asm a = Asm.simple(55, "P");
                a.method(9, "m", "()V").size(2, 2).op(new int[at]).op(200).u4(to);
                t("goto_w " + at + " " + to, a);
            }
        }
    }

    static void classes() {
        for (int op = 0xb2; op < 0xb6; op++) {
            Asm a = Asm.simple(55, "P");
            a.method(9, "m", "([I)V").size(8, 8).op(0x2a).op2(0xb2, a.fref("Q", "i", "I")).op2(op, a.fref("[I", "f", "I")).op(0xb1);
            t("field of an array " + op, a);
        }
        for (String c : new String[] {"java/lang/String", "[I", "[[I"}) {
            for (int n = 0; n < 3; n++) {
                Asm a = Asm.simple(55, "P");
                a.method(9, "m", "()V").size(8, 8).op(0x04, 0x04).op2(0xc5, a.cls(c)).op(n, 0xb1);
                t("multianewarray " + c + " " + n, a);
            }
        }
        for (int op : new int[] {0xac, 0xad, 0xae, 0xaf, 0xb0, 0xb1}) {
            for (String r : new String[] {"V", "I", "Z", "B", "S", "C", "J", "[Z", "Ljava/lang/String;"}) {
                Asm a = Asm.simple(55, "P");
                a.method(9, "m", "()" + r).size(8, 8).op(op == 0xad ? 0x09 : op == 0xaf ? 0x0e : op == 0xae ? 0x0b : op == 0xb0 ? 0x01 : 0x03, op);
                t("return " + op + " of " + r, a);
            }
        }
    }

    // Of the words that an instruction moves, those that it pushed before the stack was full are shown.
    static void overflows() {
        for (int op = 0x59; op < 0x5f; op++) {
            for (int[] words : new int[][] {{1, 1, 1, 1}, {9, 1, 1}, {9, 9}, {1, 1, 9}}) {
                for (int max = 4; max < 6; max++) {
                    Asm a = Asm.simple(55, "P");
                    a.method(9, "m", "()V").size(max, 2).op(words).op(op, 0xb1);
                    t("op " + op + " on " + java.util.Arrays.toString(words) + " of " + max, a);
                }
            }
        }
    }

    static void places() {
        Asm a = new Asm(55, 33, "P", "java/lang/Object", "java/lang/String", "P");
        t("no interface, and circular", a);
        t("circular", new Asm(55, 33, "P", "java/lang/Object", "P", "java/lang/String"));
        t("missing interface before missing superclass", new Asm(55, 33, "P", "no/Super", "no/Interface"));
        t("abstract superclass", new Asm(55, 33, "P", "java/lang/AbstractStringBuilder"));
        t("prohibited package", Asm.simple(55, "java/util/P"));
        t("twice", Asm.simple(55, "P").field(1, "f", "[Lp/Q;").field(1, "f", "[Lp/Q;"));
    }

    public static void main(String[] args) {
        constants();
        oldNames();
        opcodes();
        branches();
        classes();
        overflows();
        places();
    }
}
