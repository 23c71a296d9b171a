// SPDX-License-Identifier: Apache-2.0
// What is used before its own check: a `new` whose operand is no class, named by a frame in front of it; MethodTypes with more parameters
// than a method may have.
// @quick
public class UncheckedOperands {
    static void frame(String what, int operand) {
        Asm.t(what, () -> {
            Asm a = Asm.simple(55, "F" + what.replace(' ', '_'));
            int init = a.mref("java/lang/Object", "<init>", "()V"), table = a.utf("StackMapTable");
            int index = operand < 0 ? a.integer(-1) : operand;
            Asm.Code c = a.method(9, "m", "()V").size(2, 2);
            c.op(0xa7, 0, 7).op2(0xb7, init).op(0xb1).op2(0xbb, index).op(0x57, 0xb1); // 3: with the object of 7
            c.extra = Asm.bytesOf(o -> {
                o.writeShort(table);
                o.writeInt(7);
                o.writeShort(2);
                o.write(new byte[] {67, 8, 0, 7, 3});
            });
            c.extraCount = 1;
            try {
                return Class.forName(a.name, true, new Asm.Loader("L", a)).getDeclaredMethods().length;
            } catch (VerifyError e) {
                return "VerifyError";
            }
        });
    }

    static void type(int count, String parameter) {
        Asm.t(count + " of " + parameter, () -> {
            Asm a = Asm.simple(55, "T" + count + parameter);
            a.method(9, "m", "()Ljava/lang/Object;").size(1, 0).ldc(a.mtype("(" + parameter.repeat(count) + ")V")).op(0xb0);
            Object type = new Asm.Loader("L", a).loadClass(a.name).getMethod("m").invoke(null);
            return ((java.lang.invoke.MethodType) type).parameterCount();
        });
    }

    public static void main(String[] args) {
        frame("index too high", 65535);
        frame("an integer", -1);
        for (int count : new int[] {127, 128, 255, 256, 300, 5000})
            for (String parameter : new String[] {"I", "J"})
                type(count, parameter);
    }
}
