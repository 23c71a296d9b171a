// SPDX-License-Identifier: Apache-2.0
// A chain of 1,000 interfaces that all declare the same methods, and classes of the last: the most specific one is found without
// comparing all with all for each.
import java.util.function.Supplier;

public class ManyInterfaces {
    static final int MANY = 1000;

    static Asm iface(String prefix, int i) {
        String[] above = i == 0 ? new String[] {"java/util/function/Supplier"} : new String[] {prefix + (i - 1)};
        Asm a = new Asm(55, 0x601, prefix + i, "java/lang/Object", above);
        a.method(1, "get", "()Ljava/lang/Object;").size(1, 1).ldc(a.str(prefix + i)).op(0xb0);
        a.method(0x401, "other", "()Ljava/lang/Object;");
        if (i % 2 == 1) {
            a.method(1, "third", "()Ljava/lang/Object;").size(1, 1).ldc(a.str("third " + prefix + i)).op(0xb0);
        }
        return a;
    }

    static Asm impl(String name, String... ifs) {
        return new Asm(55, 33, name, "java/lang/Object", ifs).constructor("java/lang/Object");
    }

    static Object call(Class<?> c, String method) throws Throwable {
        return c.getMethod(method).invoke(c.getDeclaredConstructor().newInstance());
    }

    public static void main(String[] args) throws Exception {
        Asm[] all = new Asm[MANY + 2];
        for (int i = 0; i < MANY; i++) {
            all[i] = iface("I", i);
        }
        all[MANY] = impl("One", "I" + (MANY - 1));
        all[MANY + 1] = impl("Again", "I" + (MANY - 1), "I7", "java/util/function/Supplier");
        Asm.Loader l = new Asm.Loader("One", all);
        for (int i = 0; i < MANY; i++) {
            l.loadClass("I" + i); // from above, not one inside the other
        }
        for (String name : new String[] {"One", "Again"}) {
            Asm.t(name, () -> ((Supplier<?>) l.loadClass(name).getDeclaredConstructor().newInstance()).get());
            Asm.t(name + " third", () -> call(l.loadClass(name), "third"));
        }
    }
}
