// SPDX-License-Identifier: Apache-2.0
// What attributes of a class file come to: Synthetic as a flag, in each version; a ConstantValue of a boolean that is neither 0 nor 1;
// InnerClasses with two entries of one class, as if it were not there.
// @quick
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

public class AttributeFacts {
    static void synthetic(int major) {
        Asm.t("synthetic, " + major, () -> {
            Asm a = Asm.simple(major, "S" + major);
            a.attribute("Synthetic", o -> { }).fieldWith(1, "f", "I", "Synthetic", o -> { });
            Class<?> c = new Asm.Loader("L", a).loadClass(a.name);
            Field f = c.getField("f");
            return c.isSynthetic() + " " + Integer.toHexString(c.getModifiers()) + " " + f.isSynthetic() + " " + Integer.toHexString(f.getModifiers());
        });
    }

    static void booleans(int value) {
        Asm.t("boolean constant " + value, () -> {
            Asm a = Asm.simple(55, "B" + value);
            int constant = a.integer(value);
            a.fieldWith(9, "z", "Z", "ConstantValue", o -> o.writeShort(constant));
            a.fieldWith(9, "b", "B", "ConstantValue", o -> o.writeShort(constant));
            a.method(9, "get", "()I").size(1, 0).op2(0xb2, a.fref(a.name, "z", "Z")).op(0xac);
            Class<?> c = new Asm.Loader("L", a).loadClass(a.name);
            return c.getField("z").getBoolean(null) + " " + c.getField("b").getByte(null) + " " + c.getMethod("get").invoke(null);
        });
    }

    static void inner(int first, int second) {
        Asm.t("inner classes " + first + " " + second, () -> {
            Asm a = new Asm(55, 33, "O$In", "java/lang/Object");
            int in = a.cls("O$In"), out = a.cls("O"), name = a.utf("In");
            a.attribute("InnerClasses", o -> {
                o.writeShort(2);
                for (int flags : new int[] {first, second}) {
                    o.writeShort(in);
                    o.writeShort(out);
                    o.writeShort(name);
                    o.writeShort(flags);
                }
            });
            Class<?> c = new Asm.Loader("L", a).loadClass("O$In");
            return c.getSimpleName() + " " + c.getDeclaringClass() + " " + Modifier.toString(c.getModifiers());
        });
    }

    public static void main(String[] args) {
        for (int major : new int[] {45, 48, 49, 61})
            synthetic(major);
        for (int value : new int[] {0, 1, 2, 3, -1, 256})
            booleans(value);
        inner(9, 0x19);
        inner(9, 9);
    }
}
