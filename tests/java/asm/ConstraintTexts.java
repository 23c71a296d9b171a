// SPDX-License-Identifier: Apache-2.0
// Loader constraints (JVMS 5.3.4, 5.4.2) on the way from each place that imposes them: what is refused, and in which words.
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

public class ConstraintTexts {
    static final String[] TYPES = {"Lp/Shared;", "[Lp/Shared;", "[[Lp/Shared;"};

    static Asm cls(String name, String sup, String... ifs) {
        return new Asm(55, 33, name, sup, ifs).constructor(sup);
    }

    static Asm iface(String name, String... ifs) {
        return new Asm(55, Asm.PUB | Asm.IFACE | Asm.ABSTRACT, name, "java/lang/Object", ifs);
    }

    static Asm takes(Asm a, int access, String type) {
        Asm.Code c = a.method(access, "take", "(I" + type + ")" + type);
        if ((access & Asm.ABSTRACT) == 0) {
            c.size(1, 3).op(0x01, 0xb0);
        }
        return a;
    }

    // A public class whose static m() loads p/Shared by its loader and then runs the body.
    static Asm runner(String name, java.util.function.BiConsumer<Asm, Asm.Code> body) {
        Asm a = cls(name, "java/lang/Object");
        Asm.Code c = a.method(9, "m", "()Ljava/lang/Object;").size(8, 2).create("p/Shared").op(0x57);
        body.accept(a, c);
        c.op(0x01, 0xb0);
        return a;
    }

    static Asm shared() {
        return cls("p/Shared", "java/lang/Object");
    }

    // Two loaders with a p.Shared each; `second` takes all else that it does not have from `first`.
    static void t(String what, Asm[] inFirst, Asm... inSecond) {
        Asm.t(what, () -> {
            Asm.Loader first = new Asm.Loader("first", inFirst).add(shared());
            Asm.Loader second = new Asm.Loader("second", inSecond).add(shared());
            first.loadClass("p.Shared").getDeclaredConstructor().newInstance();
            for (Asm a : inFirst) {
                second.foreign.putIfAbsent(a.name.replace('/', '.'), first.loadClass(a.name.replace('/', '.')));
            }
            return Asm.run(second, inSecond[0].name);
        });
    }

    static Asm[] of(Asm... as) {
        return as;
    }

    static void resolution(String type) {
        t("method " + type, of(takes(cls("q/Lib", "java/lang/Object"), 9, type)),
            runner("q/User", (a, c) -> c.op(0x03, 0x01).invokeStatic("q/Lib", "take", "(I" + type + ")" + type).op(0x57)));
        t("interface method " + type, of(takes(iface("q/Lib"), 9, type)),
            runner("q/User", (a, c) -> c.op(0x03, 0x01).op2(0xb8, a.iref("q/Lib", "take", "(I" + type + ")" + type)).op(0x57)));
        t("field " + type, of(cls("q/Lib", "java/lang/Object").field(9, "held", type)), runner("q/User", (a, c) -> c.op2(0xb2, a.fref("q/Lib", "held", type)).op(0x57)));
        t("inherited method " + type, of(takes(cls("q/Lib", "java/lang/Object"), 9, type)),
            runner("q/User", (a, c) -> c.op(0x03, 0x01).invokeStatic("q/Sub", "take", "(I" + type + ")" + type).op(0x57)), cls("q/Sub", "q/Lib"));
        t("handle constant " + type, of(takes(cls("q/Lib", "java/lang/Object"), 9, type)),
            runner("q/User", (a, c) -> c.ldc(a.handle(6, a.mref("q/Lib", "take", "(I" + type + ")" + type))).op(0x57)));
    }

    static void tables(String type) {
        Asm make = runner("q/User", (a, c) -> c.create("q/C").op(0x57));
        t("overrides class " + type, of(takes(cls("q/A", "java/lang/Object"), 1, type)), make, takes(cls("q/C", "q/A"), 1, type));
        t("overrides class above " + type, of(takes(cls("q/A", "java/lang/Object"), 1, type), cls("q/B", "q/A")), make, takes(cls("q/C", "q/B"), 1, type));
        t("implements " + type, of(takes(iface("q/I"), 0x401, type)), make, takes(cls("q/C", "java/lang/Object", "q/I"), 1, type));
        t("selects default " + type, of(takes(iface("q/J"), 1, type)), make, takes(iface("q/I"), 0x401, type), cls("q/C", "java/lang/Object", "q/I", "q/J"));
        t("selects inherited " + type, of(takes(cls("q/A", "java/lang/Object"), 1, type)), make, takes(iface("q/I"), 0x401, type), cls("q/C", "q/A", "q/I"));
        t("overrides default of superclass " + type, of(takes(iface("q/I"), 1, type), cls("q/A", "java/lang/Object", "q/I")), make, takes(cls("q/C", "q/A"), 1, type));
        t("overrides abstract of superclass " + type, of(takes(iface("q/I"), 0x401, type), cls("q/A", "java/lang/Object", "q/I")), make, takes(cls("q/C", "q/A"), 1, type));
        t("default overrides default of superclass " + type, of(takes(iface("q/I"), 1, type), cls("q/A", "java/lang/Object", "q/I")), make,
            takes(iface("q/J", "q/I"), 1, type), cls("q/C", "q/A", "q/J"));
        t("abstract again overrides default of superclass " + type, of(takes(iface("q/I"), 1, type), cls("q/A", "java/lang/Object", "q/I")), make,
            takes(iface("q/J", "q/I"), 0x401, type), cls("q/C", "q/A", "q/J"));
        t("conflicting defaults " + type, of(takes(iface("q/J"), 1, type)), make, takes(iface("q/I"), 1, type), cls("q/C", "java/lang/Object", "q/I", "q/J"));
        t("interface extends " + type, of(takes(iface("q/I"), 1, type)), runner("q/User", (a, c) -> c.ldc(a.cls("q/J")).op(0x57)), takes(iface("q/J", "q/I"), 1, type));
    }

    // The constraint is there before the class.
    static void classes() throws Throwable {
        Asm user = cls("q/User", "java/lang/Object");
        user.method(9, "m", "()V").size(2, 0).op(0x03, 0x01).invokeStatic("q/Lib", "take", "(ILp/Shared;)Lp/Shared;").op(0x57, 0xb1);
        for (boolean delegates : new boolean[] {false, true}) {
            Asm.Loader first = new Asm.Loader("first", shared(), takes(cls("q/Lib", "java/lang/Object"), 9, TYPES[0]));
            Asm.Loader third = new Asm.Loader("third", shared());
            Asm.Loader second = new Asm.Loader("second", user);
            first.loadClass("p.Shared").getDeclaredConstructor().newInstance();
            second.foreign.put("q.Lib", first.loadClass("q.Lib"));
            Asm.run(second, "q/User");
            if (delegates) {
                second.foreign.put("p.Shared", third.loadClass("p.Shared"));
            } else {
                second.add(shared());
            }
            String how = delegates ? "delegated " : "defined ";
            Asm.t(how + "after a constraint", () -> second.loadClass("p.Shared"));
            Asm.t(how + "after a constraint, by name", () -> Class.forName("p.Shared", true, second));
            Asm.t(how + "after a constraint, array", () -> Class.forName("[Lp.Shared;", true, second));
        }
    }

    static String lookupText(Throwable e) {
        return e.getClass().getName() + ": " + e.getMessage() + (e.getCause() == null ? "" : " <- " + e.getCause());
    }

    static void lookups() throws Throwable {
        Asm lib = takes(takes(cls("q/Lib", "java/lang/Object"), 9, TYPES[0]), 9, TYPES[1]).field(9, "held", TYPES[0]);
        Asm.Loader first = new Asm.Loader("first", shared(), lib);
        Asm.Loader second = new Asm.Loader("second", shared(), runner("q/User", (a, c) -> c.op(0x00)));
        Class<?> l = first.loadClass("q.Lib");
        second.foreign.put("q.Lib", l);
        Class<?> user = second.loadClass("q.User");
        Class<?> mine = second.loadClass("p.Shared");
        Class<?> its = first.loadClass("p.Shared");
        for (MethodHandles.Lookup from : new MethodHandles.Lookup[] {MethodHandles.publicLookup(), MethodHandles.publicLookup().in(user),
                MethodHandles.publicLookup().in(l), MethodHandles.lookup().in(user), MethodHandles.privateLookupIn(user, MethodHandles.lookup())}) {
            for (Class<?> type : new Class<?>[] {its, mine, its.arrayType()}) {
                String what = from + " " + type.getSimpleName() + (type == mine ? " of second" : " of first");
                Asm.t(what + " method", () -> from.findStatic(l, "take", MethodType.methodType(type, int.class, type)).type());
                Asm.t(what + " getter", () -> from.findStaticGetter(l, "held", type).type());
            }
            Asm.t(from + " unreflect", () -> from.unreflect(l.getMethod("take", int.class, its)).type());
        }
    }

    public static void main(String[] args) throws Throwable {
        for (String type : TYPES) {
            resolution(type);
            tables(type);
        }
        classes();
        lookups();
    }
}
