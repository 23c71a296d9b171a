// SPDX-License-Identifier: Apache-2.0
// Which method overrides which over packages (JVMS 5.4.5): a method that its package alone sees is overridden there only, and by
// what overrides one that overrides it, the latter since version 51; each class is called through each of its supers.
// @quick
import java.util.ArrayList;
import java.util.List;

public class Overriding {
    static final int PACKAGE = 0, PUB = 1, PROTECTED = 4;
    static final int ALOAD_0 = 0x2a, BIPUSH = 0x10, IRETURN = 0xac;

    static int major;

    // A class whose m gives `number`, if that is not 0, and whose static call(x) is x.m() as this class names it.
    static Asm type(String name, String sup, int access, int number) {
        Asm a = new Asm(major, Asm.PUB | Asm.SUPER, name, sup);
        a.constructor(sup);
        if (number != 0)
            a.method(access, "m", "()I").op(BIPUSH, number, IRETURN);
        a.method(9, "call", "(L" + name + ";)I").op(ALOAD_0).invokeVirtual(name, "m", "()I").op(IRETURN);
        return a;
    }

    static void t(String text, Asm... types) {
        String what = major + " " + text;
        Asm.Loader loader = new Asm.Loader("L", types);
        List<Class<?>> classes = new ArrayList<>();
        for (Asm a : types)
            try {
                classes.add(loader.loadClass(a.name.replace('/', '.')));
            } catch (Throwable e) {
                System.out.println(what + ": " + e);
            }
        for (Class<?> through : classes)
            for (Class<?> c : classes)
                if (through.isAssignableFrom(c))
                    Asm.t(what + ": " + c.getName() + " as " + through.getName(), () -> {
                        Object o = c.getConstructor().newInstance();
                        try {
                            return through.getMethod("call", through).invoke(null, o);
                        } catch (java.lang.reflect.InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
    }

    public static void main(String[] args) {
        for (int version : new int[] {52, 49, 50, 51}) {
            major = version;
            all();
        }
        major = 52;
        Asm a = type("p/A", "java/lang/Object", PUB, 1);
        Asm b = type("p/B", "p/A", PACKAGE, 2);
        major = 50;
        t("old below new", a, b, type("q/C", "p/B", PUB, 3));
        a = type("p/A", "java/lang/Object", PUB, 1);
        b = type("p/B", "p/A", PACKAGE, 2);
        major = 52;
        t("new below old", a, b, type("q/C", "p/B", PUB, 3));
    }

    static void all() {
        t("another package", type("p/A", "java/lang/Object", PACKAGE, 1), type("q/B", "p/A", PACKAGE, 2), type("p/C", "q/B", PACKAGE, 3));
        t("public in another", type("p/A", "java/lang/Object", PACKAGE, 1), type("q/B", "p/A", PUB, 2), type("p/C", "q/B", PUB, 3), type("r/D", "p/C", PUB, 4));
        t("made public", type("p/A", "java/lang/Object", PACKAGE, 1), type("p/B", "p/A", PUB, 2), type("q/C", "p/B", PUB, 3));
        t("protected", type("p/A", "java/lang/Object", PROTECTED, 1), type("q/B", "p/A", PROTECTED, 2));
        t("less visible", type("p/A", "java/lang/Object", PUB, 1), type("p/B", "p/A", PACKAGE, 2), type("q/C", "p/B", PACKAGE, 3));
        t("less visible twice", type("p/A", "java/lang/Object", PUB, 1), type("p/B", "p/A", PACKAGE, 2), type("p/C", "p/B", PACKAGE, 3), type("q/D", "p/C", PACKAGE, 4));
        t("none between", type("p/A", "java/lang/Object", PACKAGE, 1), type("q/B", "p/A", PACKAGE, 0), type("p/C", "q/B", PACKAGE, 3));
    }
}
