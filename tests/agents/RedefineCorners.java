// SPDX-License-Identifier: Apache-2.0
// Redefinition: a new superclass that is circular, methods that differ in max_locals, max_stack or their handlers alone,
// and the count by which java.lang.Class drops what it caches, of the class and of those below it.
// @agent ti_redefine
// @flags --add-opens java.base/java.lang=ALL-UNNAMED
// @quick
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Field;

class Cyc9 { }
class Cyc0 extends Cyc9 { }
class Cyc1 extends Cyc9 { }
class Cyc2 extends Cyc9 { }

class CornerCode {
    static int locals(Runnable r) {
        int a = 0x1234, b = a + 1;
        r.run();
        return a + b;
    }

    static String handlers(Runnable r) {
        try {
            try {
                r.run();
            } catch (IllegalStateException e) {
                return "inner";
            }
        } catch (IllegalStateException e) {
            return "outer";
        }
        return "none";
    }
}

@Retention(RetentionPolicy.RUNTIME)
@Inherited
@interface CornerMark {
    String value();
}
@CornerMark("one")
class CornerBase { }
class CornerMid extends CornerBase { }
class CornerSub extends CornerMid { }
class CornerOther { }

public class RedefineCorners extends Redefiner {
    // Its classes Cyc1 and Cyc2 extend one another.
    static class Loader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.matches("Cyc[0129]"))
                return super.loadClass(name, resolve);
            Class<?> known = findLoadedClass(name);
            byte[] file = file(name);
            if (name.equals("Cyc1") || name.equals("Cyc2"))
                file = replace(file, "Cyc9", name.equals("Cyc1") ? "Cyc2" : "Cyc1");
            return known != null ? known : defineClass(name, file, 0, file.length);
        }
    }

    static void circular() throws Exception {
        Class<?> c = new Loader().loadClass("Cyc0");
        System.out.println("circular: " + redefine(c, replace(file("Cyc0"), "Cyc9", "Cyc1")));
        System.out.println("as it was: " + redefine(c, file("Cyc0")) + " " + c.getSuperclass().getName());
    }

    static int u2(byte[] file, int at) {
        return (file[at] & 255) << 8 | file[at + 1] & 255;
    }

    // One local variable, or one slot of the stack, more for the method whose code begins with sipush 0x1234.
    static byte[] larger(byte[] file, boolean locals) {
        for (int at = 8; at + 2 < file.length; at++)
            if (file[at] == 0x11 && u2(file, at + 1) == 0x1234) {
                byte[] out = file.clone();
                out[at - (locals ? 5 : 7)]++;
                return out;
            }
        throw new IllegalStateException();
    }

    // The first of two handlers of one class that begin to cover at one place moved to the second's.
    static byte[] otherHandler(byte[] file) {
        for (int at = 2; at + 16 < file.length; at++)
            if (u2(file, at - 2) == 2 && u2(file, at) == u2(file, at + 8) && u2(file, at + 2) < u2(file, at + 4)
                && u2(file, at + 2) <= u2(file, at + 10) && u2(file, at + 4) < u2(file, at + 12) && u2(file, at + 6) != 0
                && u2(file, at + 6) == u2(file, at + 14)) {
                byte[] out = file.clone();
                System.arraycopy(file, at + 12, out, at + 4, 2);
                return out;
            }
        throw new IllegalStateException();
    }

    static void become(byte[] file) {
        System.out.println("redefined: " + redefine(CornerCode.class, file));
        frames(Thread.currentThread(), CornerCode.class);
    }

    static void fail(byte[] file) {
        become(file);
        throw new IllegalStateException();
    }

    static void code() {
        byte[] original = file("CornerCode"), locals = larger(original, true), stack = larger(locals, false), handler = otherHandler(original);
        CornerCode.locals(() -> become(locals));
        CornerCode.locals(() -> become(locals));
        CornerCode.locals(() -> become(stack));
        System.out.println(CornerCode.handlers(() -> fail(locals)));
        System.out.println(CornerCode.handlers(() -> fail(handler)));
        System.out.println(CornerCode.handlers(() -> fail(handler)));
    }

    static void counts() throws Exception {
        Field count = Class.class.getDeclaredField("classRedefinedCount");
        count.setAccessible(true);
        Class<?>[] all = {CornerBase.class, CornerMid.class, CornerSub.class, CornerOther.class, CornerBase[].class};
        for (Class<?> c : all)
            System.out.print(count.get(c) + " ");
        System.out.println(CornerSub.class.getAnnotation(CornerMark.class));
    }

    public static class Top { }
    public static class Low extends Top { }
    static final String LOW = "RedefineCorners$Low";

    // Top has many classes below it, of loaders that go in no order, and of hidden classes.
    static void below() throws Exception {
        java.util.List<ClassLoader> loaders = new java.util.ArrayList<>();
        java.util.List<Class<?>> kept = new java.util.ArrayList<>();
        for (int i = 0; i < 60; i++) {
            SubLoader l = new SubLoader();
            loaders.add(l);
            Class<?> c = l.loadClass(LOW);
            if (i % 3 == 0)
                kept.add(c);
            Class<?> hidden = java.lang.invoke.MethodHandles.lookup().defineHiddenClass(file(LOW), false).lookupClass();
            if (i % 4 == 0)
                kept.add(hidden);
            if (i % 10 == 9) {
                loaders.removeIf(x -> x.hashCode() % 3 == 0);
                System.gc();
            }
        }
        loaders.clear();
        System.gc();
        Field count = Class.class.getDeclaredField("classRedefinedCount");
        count.setAccessible(true);
        java.util.Map<Class<?>, Integer> before = new java.util.HashMap<>();
        for (Class<?> c : kept)
            before.put(c, count.getInt(c));
        redefine(Top.class, file("RedefineCorners$Top"));
        boolean all = true;
        for (Class<?> c : kept)
            all &= count.getInt(c) == before.get(c) + 1;
        System.out.println("below " + kept.size() + " " + all);
    }

    static class SubLoader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            byte[] file = name.equals(LOW) ? file(name) : null;
            return file == null ? super.loadClass(name, resolve) : defineClass(name, file, 0, file.length);
        }
    }

    public static void main(String[] args) throws Exception {
        circular();
        code();
        byte[] base = file("CornerBase"), sub = file("CornerSub");
        counts();
        redefine(CornerBase.class, replace(base, "one", "two"));
        counts();
        redefine(new Class<?>[] {CornerBase.class, CornerSub.class}, new byte[][] {base, sub});
        counts();
        redefine(CornerSub.class, sub);
        counts();
        below();
    }
}
