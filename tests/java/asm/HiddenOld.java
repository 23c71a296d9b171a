// SPDX-License-Identifier: Apache-2.0
// A hidden class of a file before version 50 is not the class that its file names: neither is assignable to the other. Its own members are its own.
import java.lang.invoke.MethodHandles;

public class HiddenOld {
    static Object run(Asm a) throws Throwable {
        Class<?> c = MethodHandles.lookup().defineHiddenClass(a.bytes(), false).lookupClass();
        try {
            return c.getMethod("m").invoke(null);
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw e.getCause();
        }
    }

    public static void main(String[] args) {
        for (int major : new int[] {48, 49, 50, 52}) {
            Asm.t("a method of its own, " + major, () -> {
                Asm a = Asm.simple(major, "HiddenOldOwn");
                a.method(9, "f", "()I").op(0x10, 7, 0xac);
                a.method(9, "m", "()I").invokeStatic("HiddenOldOwn", "f", "()I").op(0xac);
                return run(a);
            });
            Asm.t("as the class of its file's name, " + major, () -> {
                Asm a = Asm.simple(major, "HiddenOld");
                a.method(1, "self", "()LHiddenOld;").op(0x2a, 0xb0);
                a.method(9, "m", "()I").op(0x10, 8, 0xac);
                try {
                    return run(a);
                } catch (VerifyError e) {
                    return e.getClass();
                }
            });
            Asm.t("a new one as that class, " + major, () -> {
                Asm a = Asm.simple(major, "HiddenOld");
                a.method(9, "made", "()LHiddenOld;").op2(0xbb, a.cls("HiddenOld")).op(0x59).invokeSpecial("HiddenOld", "<init>", "()V").op(0xb0);
                a.method(9, "m", "()Ljava/lang/Object;").invokeStatic("HiddenOld", "made", "()LHiddenOld;").op(0xb0);
                try {
                    return run(a) instanceof HiddenOld;
                } catch (VerifyError e) {
                    return e.getClass();
                }
            });
        }
    }
}
