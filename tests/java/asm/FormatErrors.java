// SPDX-License-Identifier: Apache-2.0
// Class files that are refused: versions, flags, names, descriptors, duplicates, pools, code attributes, names that differ.
// @quick
import java.util.*;

public class FormatErrors {
    static int n;

    interface Edit {
        void on(Asm a);
    }

    static void t(String what, Edit e) {
        Asm.t(what, () -> {
            Asm a = Asm.simple(55, "F" + n++);
            e.on(a);
            return new Asm.Loader("L").define(a.bytes()).getName();
        });
    }

    static void raw(String what, java.util.function.UnaryOperator<byte[]> e) {
        Asm.t(what, () -> new Asm.Loader("L").define(e.apply(Asm.simple(55, "R" + n++).bytes())).getName());
    }

    public static void main(String[] args) {
        for (int v : new int[] {44, 45, 50, 61, 62, 63, 100, 65535}) {
            t("version " + v, a -> a.major = v);
        }
        raw("preview", b -> {
            b[4] = (byte) 0xff;
            b[5] = (byte) 0xff;
            return b;
        });
        raw("magic", b -> {
            b[3] = 0;
            return b;
        });
        raw("extra byte", b -> Arrays.copyOf(b, b.length + 1));
        raw("cut", b -> Arrays.copyOf(b, b.length - 1));
        raw("header only", b -> Arrays.copyOf(b, 8));
        raw("pool count 0", b -> {
            b[8] = 0;
            b[9] = 0;
            return b;
        });
        raw("bad tag", b -> {
            b[10] = 99;
            return b;
        });
        int[] flags = {0x400 | 0x10 | 1, 0x200, 0x200 | 0x400 | 0x10, 0x2000, 0x4000, 0x8000, 0x200 | 0x400 | 0x20, 0x1000, 0};
        for (int f : flags) {
            t("class flags " + Integer.toHexString(f), a -> a.access = f);
        }
        for (int f : new int[] {3, 5, 6, 0x50, 0x1000, 0x4000, 0x41}) {
            t("field flags " + Integer.toHexString(f), a -> a.field(f, "x", "I"));
        }
        for (int f : new int[] {3, 0x401, 0x402, 0x408, 0x410, 0x501, 0x500, 0x21, 0x800, 0x101}) {
            t("method flags " + Integer.toHexString(f), a -> a.method(f, "x", "()V"));
        }
        t("duplicate field", a -> a.field(1, "x", "I").field(1, "x", "I"));
        t("overloaded field", a -> a.field(1, "x", "I").field(1, "x", "J"));
        t("duplicate method", a -> {
            a.method(1, "x", "()V").op(0xb1);
            a.method(1, "x", "()V").op(0xb1);
        });
        t("methods that differ in the result", a -> {
            a.method(1, "x", "()V").op(0xb1);
            a.method(1, "x", "()I").op(0x03, 0xac);
        });
        for (String s : new String[] {"", "a.b", "a;b", "a[b", "a/b", "<x>", "\u00e9", "a b", "<init>"}) {
            t("field name '" + s + "'", a -> a.field(1, s, "I"));
            t("method name '" + s + "'", a -> a.method(1, s, "()V").op(0xb1));
        }
        for (String s : new String[] {"", "V", "Q", "L", "Ljava.lang.String;", "Ljava/lang/String", "[", "II", "[V", "[".repeat(255) + "I", "[".repeat(256) + "I", "L;", "()V"}) {
            t("field descriptor " + (s.length() > 20 ? s.length() : s), a -> a.field(1, "x", s));
        }
        for (String s : new String[] {"", "V", "()", "(V)V", "()Q", "(I", "()VI", "(" + "J".repeat(127) + ")V", "(" + "J".repeat(128) + ")V", "(Lx)V", "(I)[I"}) {
            t("method descriptor " + (s.length() > 20 ? s.length() : s), a -> a.method(1025, "x", s).end().access |= 0x400);
        }
        t("static <init>", a -> a.method(9, "<init>", "(I)V").op(0xb1));
        t("<init> with a result", a -> a.method(1, "<init>", "()I").op(0x03, 0xac));
        t("<clinit> with an argument", a -> a.method(8, "<clinit>", "(I)V").op(0xb1));
        t("<clinit> not static", a -> a.method(0, "<clinit>", "()V").op(0xb1));
        t("two <clinit>", a -> {
            a.method(8, "<clinit>", "()V").op(0xb1);
            a.method(8, "<clinit>", "()V").op(0xb1);
        });
        t("code in an abstract method", a -> {
            a.access |= 0x400;
            a.method(0x401, "x", "()V").op(0xb1);
        });
        t("code in a native method", a -> a.method(0x101, "x", "()V").op(0xb1));
        t("locals too few", a -> a.method(9, "x", "(JJ)V").size(1, 3).op(0xb1));
        t("empty code", a -> a.method(9, "x", "()V").op());
        t("code of 65536", a -> a.method(9, "x", "()V").op(new int[65536]));
        t("handler outside", a -> a.method(9, "x", "()V").op(0xb1).handlers.add(new int[] {0, 5, 0, 0}));
        t("handler backwards", a -> a.method(9, "x", "()V").op(0, 0xb1).handlers.add(new int[] {1, 1, 0, 0}));
        t("handler type is a string", a -> a.method(9, "x", "()V").op(0, 0xb1).handlers.add(new int[] {0, 1, 1, a.str("s")}));
        t("no super", a -> a.superClass = 0);
        t("super is a string", a -> a.superClass = a.str("x"));
        t("super is an array", a -> a.superClass = a.cls("[I"));
        t("class name with dots", a -> a.cls("java.lang.X"));
        t("class name empty", a -> a.cls(""));
        t("class name ok array", a -> a.cls("[[Lx;"));
        t("class name bad array", a -> a.cls("[x"));
        t("handle of kind 0", a -> a.handle(0, a.mref("x", "y", "()V")));
        t("handle of kind 10", a -> a.handle(10, a.mref("x", "y", "()V")));
        t("getter handle on a method", a -> a.handle(1, a.mref("x", "y", "()V")));
        t("constructor handle, other name", a -> a.handle(8, a.mref("x", "y", "()V")));
        t("constructor handle", a -> a.handle(8, a.mref("x", "<init>", "()V")));
        t("method type that is none", a -> a.mtype("I"));
        t("reference to <clinit>", a -> a.mref("x", "<clinit>", "()V"));
        t("reference to <init> with a result", a -> a.mref("x", "<init>", "()I"));
        t("field reference with a method's type", a -> a.fref("x", "y", "()V"));
        t("method reference with a field's type", a -> a.mref("x", "y", "I"));
        t("dynamic in version 54", a -> {
            a.major = 54;
            a.dynamic(false, "x", "I", a.handle(6, a.mref("x", "y", "()V")));
        });
        t("module tag", a -> a.raw("mod", 1, o -> {
            o.writeByte(19);
            o.writeShort(1);
        }));
        t("unknown attribute", a -> a.attribute("Nonsense", o -> o.writeInt(7)));
        t("source file wrong length", a -> a.attribute("SourceFile", o -> o.writeInt(7)));
        t("source file twice", a -> a.attribute("SourceFile", o -> o.writeShort(1)).attribute("SourceFile", o -> o.writeShort(1)));
        t("signature index bad", a -> a.attribute("Signature", o -> o.writeShort(9999)));
        t("inner classes to nothing", a -> a.attribute("InnerClasses", o -> {
            o.writeShort(1);
            o.writeLong(0);
        }));
        t("nest host and members", a -> {
            int c = a.cls("x");
            a.attribute("NestHost", o -> o.writeShort(c)).attribute("NestMembers", o -> {
                o.writeShort(1);
                o.writeShort(c);
            });
        });
        t("permitted of a final class", a -> {
            int c = a.cls("x");
            a.major = 61;
            a.access |= 16;
            a.attribute("PermittedSubclasses", o -> {
                o.writeShort(1);
                o.writeShort(c);
            });
        });
        t("long at the end of the pool", a -> a.lng(5));
        Asm.t("not permitted", () -> {
            Asm s = Asm.simple(61, "Sealed");
            int other = s.cls("Other");
            s.attribute("PermittedSubclasses", o -> {
                o.writeShort(1);
                o.writeShort(other);
            });
            Asm sub = new Asm(61, 33, "NotPermitted", "Sealed").constructor("Sealed");
            return new Asm.Loader("L", s, sub).loadClass("NotPermitted");
        });
        Asm.t("super is a record's base", () -> new Asm.Loader("L").define(new Asm(61, 33, "FakeRec", "java/lang/Record").constructor("java/lang/Record").bytes()).isRecord());
        Asm.t("wrong name", () -> {
            Asm.Loader l = new Asm.Loader("L");
            l.classes.put("Asked", Asm.simple(55, "Given").bytes());
            return l.loadClass("Asked");
        });
        Asm.t("twice", () -> {
            Asm.Loader l = new Asm.Loader("L");
            l.define(Asm.simple(55, "Twice").bytes());
            return l.define(Asm.simple(55, "Twice").bytes());
        });
    }
}
