// SPDX-License-Identifier: Apache-2.0
// Attributes that may stand once (JVMS 4.7) and stand there twice: on classes, fields, methods, in code and in record
// components, in versions that know them and in older ones.
// @quick
public class DuplicateAttributes {
    static final String[] NAMES = {"RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations", "RuntimeVisibleTypeAnnotations", "RuntimeInvisibleTypeAnnotations",
            "RuntimeVisibleParameterAnnotations", "RuntimeInvisibleParameterAnnotations", "AnnotationDefault", "SourceDebugExtension", "Unknown", "Exceptions"};

    static void load(String what, Asm a) {
        Asm.t(what, () -> new Asm.Loader("L", a).loadClass(a.name).getDeclaredMethods().length);
    }

    static Asm plain(int major) {
        return new Asm(major, 33, "A", "java/lang/Object");
    }

    public static void main(String[] args) {
        for (int major : new int[] {48, 49, 51, 55, 61}) {
            for (String n : NAMES) {
                String what = major + " " + n;
                Asm c = plain(major);
                load(what + " of a class", c.attribute(n, o -> o.writeShort(0)).attribute(n, o -> o.writeShort(0)));
                load(what + " of a field", plain(major).field(1, "f", "I", n, n));
                Asm m = plain(major);
                m.method(0x401, "m", "()V").attributes(n, n);
                m.access |= Asm.ABSTRACT;
                load(what + " of a method", m);
                Asm code = plain(major);
                Asm.Code in = code.method(9, "m", "()V").op(0xb1);
                in.extra = Asm.bytesOf(o -> code.writeEmpty(o, n, n));
                in.extra = java.util.Arrays.copyOfRange(in.extra, 2, in.extra.length);
                in.extraCount = 2;
                load(what + " of code", code);
                Asm r = new Asm(major, 0x31, "A", "java/lang/Record");
                int name = r.utf("x");
                int type = r.utf("I");
                r.utf(n);
                load(what + " of a record component", r.attribute("Record", o -> {
                    o.writeShort(1);
                    o.writeShort(name);
                    o.writeShort(type);
                    r.writeEmpty(o, n, n);
                }));
            }
        }
    }
}
