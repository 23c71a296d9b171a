// SPDX-License-Identifier: Apache-2.0
// Methods that redefinition adds and deletes: which may come and go, and what calls them or names them sees. A handle or a Method
// of a method that is deleted and added again means the new one here; on HotSpot it stays dead, so none is asked then.
// @agent ti_redefine
// @flags -XX:+AllowRedefinitionToAddDeleteMethods
// HotSpot knows the lines of an old version through JVM TI only: "Unknown Source" in stack traces.
// @mask \((RedefineAddDelete.java:\d+|Unknown Source)\)
// @quick
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

class Kin00 { void a() { } }
class Kin01 { void a() { } private static void x() { } }
class Kin02 { void a() { } private final void x() { } }
class Kin03 { void a() { } private void x() { } }
class Kin04 { void a() { } static void x() { } }
class Kin05 { void a() { } public static void x() { } }
class Kin06 { void a() { } final void x() { } }
class Kin07 { void a() { } protected static final void x() { } }
class Kin08 { void a() { } static { System.out.println("initialized"); } }
class Kin09 { void a() { } Kin09() { } private Kin09(int x) { } }
class Kin10 { void a() { } private static native void x(); }
class Kin11 { void a() { } private static synchronized void x() { } }
class Kin12 { void a() { } private static final void x() { } }
class Kin13 { void a() { } private final native void x(); }
class Kin14 { void a() { } private static void x() { } private void y() { } }
class Kin15 { void a() { } private void x() { } private static void y() { } }
class Kin16 { private static void x() { } }
class Kin17 { final void a() { } private static void x() { } }
class Kin18 { void a() { } private static void x() { } private static void x(int i) { } private static int x(long l) { return 0; } }
interface Kif00 { void a(); }
interface Kif01 { void a(); private static void x() { } }
interface Kif02 { void a(); private void x() { } }
interface Kif03 { void a(); static void x() { } }
interface Kif04 { void a(); default void x() { } }
record Kir00(int x) { }
record Kir01(int x) { private static void q() { } }
enum Kie00 { A }
enum Kie01 { A; private static void q() { } }

class Eff00 {
    static class Nest {
        static String call() { return Eff00.x(1); }
        static String callFinal(Eff00 e) { return e.f(); }
    }
    private static String x(int i) { return "x0 " + i; }
    private final String f() { return "f0"; }
    static String go(Runnable r) {
        String s = x(1);
        r.run();
        try {
            return s + x(2);
        } catch (NoSuchMethodError e) {
            return s + " " + e;
        }
    }
    static String in(Runnable r) { return inside(r); }
    private static String inside(Runnable r) {
        r.run();
        return "inside 0 " + new Throwable().getStackTrace()[0];
    }
    static MethodHandles.Lookup lookup() { return MethodHandles.lookup(); }
    static Callable<String> lambda() { return () -> "lambda0"; }
    static Callable<String> reference() { return Eff00::y; }
    private static String y() { return "y0"; }
    private static int z() { return 0; }
}
class Eff01 { // without the private methods
    static class Nest {
        static String call() { return null; }
        static String callFinal(Eff01 e) { return null; }
    }
    static String go(Runnable r) { return "go1"; }
    static String in(Runnable r) { return "in1"; }
    static MethodHandles.Lookup lookup() { return MethodHandles.lookup(); }
    static Callable<String> lambda() { return null; }
    static Callable<String> reference() { return null; }
}
class Eff02 { // with them again, other ones
    static class Nest {
        static String call() { return null; }
        static String callFinal(Eff02 e) { return null; }
    }
    private static String x(int i) { return "x2 " + i; }
    private final String f() { return "f2"; }
    static String go(Runnable r) { return x(3); }
    static String in(Runnable r) { return inside(r); }
    private static String inside(Runnable r) { return "inside2"; }
    static MethodHandles.Lookup lookup() { return MethodHandles.lookup(); }
    static Callable<String> lambda() { return () -> "lambda2"; }
    static Callable<String> reference() { return Eff02::y; }
    private static String y() { return "y2"; }
    private final int z() { return 2; } // another kind of z
}

@Retention(RetentionPolicy.RUNTIME)
@interface AddMark {
    String value();
}
class Add00 {
    int field = 7;
    String run(int i) { return "run0"; }
    static List<Supplier<String>> lambdas(String with) { return List.of(() -> "one " + with); }
}
class Add01 {
    int field = 7;
    String run(int i) { return "run1 " + many(i, 2L, 3.5, "s", null) + locked(i) + own(i) + thrown(i) + walked() + handled(i); }
    private static String many(int i, long l, double d, String s, Object[] none) { return "many " + i + l + d + s + none; }
    private static synchronized String locked(int i) { return " locked " + Thread.holdsLock(Add01.class); }
    private final synchronized String own(int i) { return " own " + (field += i) + Thread.holdsLock(this); }
    private static String thrown(int i) {
        try {
            return " " + deeper(new int[i]);
        } catch (RuntimeException e) {
            return " " + e.getMessage() + " at " + e.getStackTrace()[0].getMethodName() + " " + e.getStackTrace()[1].getMethodName();
        }
    }
    private static int deeper(int[] a) { return a[a.length]; }
    private static String walked() {
        return StackWalker.getInstance().walk(s -> s.map(f -> f.getMethodName()).filter(n -> !n.contains("$")).limit(2).toList().toString());
    }
    private static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
    private static String handled(int i) {
        try {
            var m = MethodHandles.lookup().findStatic(Add01.class, "factorial", MethodType.methodType(int.class, int.class));
            return " " + (int) m.invokeExact(i);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
    private static native int gone(int i);
    @AddMark("marked")
    private static <T extends Number> List<T> generic(List<? super T> list, String... rest) throws java.io.IOException { return null; }
    static List<Supplier<String>> lambdas(String with) {
        return List.of(() -> "two " + with, () -> "three " + nested(() -> with + with).get(), Add01::plain, () -> with);
    }
    private static Supplier<String> nested(Supplier<String> s) { return () -> "(" + s.get() + ")"; }
    private static String plain() { return "plain"; }
}

class HidBase {
    static String s() { return "s of the base"; }
    String v() { return "v of the base"; }
}
class Hid00 extends HidBase {
    static String both() { return s() + ", " + new Hid00().v(); }
}
class Hid01 extends HidBase {
    static String both() { return t() + ", " + new Hid01().v(); }
    private static String t() { return "t of its own"; }
}

public class RedefineAddDelete extends Redefiner {
    static void methods(Class<?> c) {
        TreeSet<String> all = new TreeSet<>();
        for (Method m : c.getDeclaredMethods())
            all.add(m.toGenericString());
        System.out.println("  " + all);
    }

    static void kinds(Class<?> c, String base, int count) {
        for (int i = 1; i <= count; i++) {
            String other = String.format("%s%02d", base.substring(0, 3), i);
            System.out.print(other + ": added " + become(c, other));
            methods(c);
            System.out.println("  deleted " + become(c, base));
        }
        methods(c);
    }

    static void deletions() throws Exception {
        for (int i = 1; i <= 18; i++) {
            Class<?> c = Class.forName(String.format("Kin%02d", i), false, RedefineAddDelete.class.getClassLoader());
            System.out.print(c.getName() + ": deleted " + become(c, "Kin00"));
            System.out.println(" added " + become(c, c.getName()));
            methods(c);
        }
    }

    static void attempt(String what, Callable<?> r) {
        try {
            System.out.println("  " + what + ": " + r.call());
        } catch (InvocationTargetException e) {
            System.out.println("  " + what + ": threw " + e + ", cause " + e.getCause());
        } catch (Throwable e) {
            System.out.println("  " + what + ": threw " + e);
        }
    }

    static Callable<String> calls(MethodHandle h, Object argument) {
        return () -> {
            try {
                return (String) h.invoke(argument);
            } catch (NoSuchMethodError e) {
                return "no such method"; // with a message or without one
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        };
    }

    static void effects() throws Exception {
        Class<?> c = Eff00.class;
        Eff00 object = new Eff00();
        Method x = c.getDeclaredMethod("x", int.class), f = c.getDeclaredMethod("f");
        x.setAccessible(true);
        f.setAccessible(true);
        for (int i = 0; i < 30; i++) // from here on a class of its own calls x
            x.invoke(null, i);
        MethodHandle h = Eff00.lookup().unreflect(x), hf = Eff00.lookup().unreflect(f);
        Callable<String> lambda = Eff00.lambda(), reference = Eff00.reference();
        Runnable handles = () -> {
            attempt("by a handle", calls(h, 1));
            attempt("by a handle of a final", calls(hf, object));
            attempt("final by reflection", () -> f.invoke(object));
        };
        Runnable all = () -> {
            attempt("from the nest", () -> Eff00.Nest.call());
            attempt("final from the nest", () -> Eff00.Nest.callFinal(object));
            attempt("by reflection", () -> x.invoke(null, 1));
            attempt("its Method", () -> c.getDeclaredMethod("x", int.class).equals(x));
            attempt("the old Method", () -> x + " " + x.getParameters().length + " " + x.getAnnotations().length);
            attempt("a handle found", () -> Eff00.lookup().findStatic(c, "x", MethodType.methodType(String.class, int.class)));
            attempt("z, static", () -> Eff00.lookup().findStatic(c, "z", MethodType.methodType(int.class)));
            attempt("z, final", () -> Eff00.lookup().findSpecial(c, "z", MethodType.methodType(int.class), c));
            attempt("a lambda", lambda);
            attempt("a reference", reference);
            attempt("a lambda made now", () -> Eff00.lambda().call());
            attempt("a reference made now", () -> Eff00.reference().call());
            methods(c);
        };
        all.run();
        handles.run();
        System.out.println("deleted: " + become(c, "Eff01"));
        all.run();
        handles.run();
        System.out.println("added: " + become(c, "Eff02"));
        all.run();
        System.out.println("as at first: " + become(c, "Eff00") + become(c, "Eff01") + become(c, "Eff00"));
        all.run();
        System.out.println(Eff00.go(() -> System.out.println("deleted: " + become(c, "Eff01"))));
        System.out.println("added: " + become(c, "Eff00"));
        System.out.println(Eff00.go(() -> System.out.println("deleted and added: " + become(c, "Eff01") + become(c, "Eff00"))));
        for (boolean back : new boolean[] {false, true}) {
            System.out.println(Eff00.in(() -> {
                frames(Thread.currentThread(), c);
                System.out.println("deleted: " + become(c, "Eff01"));
                frames(Thread.currentThread(), c);
                if (back)
                    System.out.println("added: " + become(c, "Eff02") + " " + Eff00.in(null));
                System.gc();
                frames(Thread.currentThread(), c);
            }));
            System.out.println("as at first: " + become(c, "Eff01") + become(c, "Eff00"));
        }
    }

    static void added() throws Exception {
        Class<?> c = Add00.class;
        Add00 object = new Add00();
        List<Supplier<String>> lambdas = new ArrayList<>();
        for (String name : new String[] {"Add00", "Add01", "Add00", "Add01"}) {
            System.out.println(name + ": " + become(c, name));
            attempt("run", () -> object.run(3));
            attempt("native", () -> {
                Method gone = c.getDeclaredMethod("gone", int.class);
                gone.setAccessible(true);
                return gone.invoke(null, 1);
            });
            attempt("marks", () -> {
                Method m = c.getDeclaredMethod("generic", List.class, String[].class);
                return m.toGenericString() + " " + m.getAnnotation(AddMark.class) + " " + m.isVarArgs();
            });
            lambdas.addAll(Add00.lambdas(name));
            for (Supplier<String> s : lambdas)
                attempt("lambda", s::get);
        }
    }

    static void inherited() {
        System.out.println(Hid00.both());
        System.out.println("added: " + redefine(Hid00.class, replace(as(Hid00.class, "Hid01"), "t of its", "u of its")) + " " + Hid00.both());
        System.out.println("named like an inherited one: "
            + redefine(Hid00.class, replace(as(Hid00.class, "Hid01"), "\1\0\1t", "\1\0\1s")) + " " + Hid00.both());
        System.out.println("deleted: " + become(Hid00.class, "Hid00") + " " + Hid00.both());
    }

    public static void main(String[] args) throws Exception {
        kinds(Kin00.class, "Kin00", 18);
        kinds(Kif00.class, "Kif00", 4);
        kinds(Kir00.class, "Kir00", 1);
        kinds(Kie00.class, "Kie00", 1);
        deletions();
        effects();
        added();
        inherited();
        int error = redefine(new Class<?>[] {Kin00.class, Kif00.class}, new byte[][] {as(Kin00.class, "Kin01"), as(Kif00.class, "Kif02")});
        System.out.println("all or none: " + error);
        methods(Kin00.class);
        byte[] with = as(Kin00.class, "Kin18"), without = file("Kin00");
        System.out.println("twice: " + redefine(new Class<?>[] {Kin00.class, Kin00.class}, new byte[][] {with, without}));
        methods(Kin00.class);
        System.out.println("twice: " + redefine(new Class<?>[] {Kin00.class, Kin00.class}, new byte[][] {without, with}));
        methods(Kin00.class);
    }
}
