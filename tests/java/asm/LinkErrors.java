// SPDX-License-Identifier: Apache-2.0
// Errors of resolution and selection with their messages: missing members, changed kinds, access, conflicting defaults,
// abstract methods, instantiation, loader constraints, nest hosts that do not agree.
// @quick
public class LinkErrors {
    static int n;

    interface Body {
        void in(Asm a, Asm.Code c);
    }

    static void t(String what, Body b, Asm... others) {
        Asm a = new Asm(55, 33, "Caller" + n++, "java/lang/Object");
        a.constructor("java/lang/Object");
        Asm.Code c = a.method(9, "m", "()V");
        b.in(a, c);
        c.op(0xb1);
        Asm[] all = new Asm[others.length + 1];
        all[0] = a;
        System.arraycopy(others, 0, all, 1, others.length);
        Asm.Loader l = new Asm.Loader("L", all);
        for (int i = 0; i < 2; i++) {
            Asm.t(what, () -> Asm.run(l, a.name));
        }
    }

    static Asm target() {
        Asm a = Asm.simple(55, "Target");
        a.field(1, "f", "I").field(9, "s", "I").field(Asm.PRIV, "pf", "I").field(Asm.PRIV | 8, "ps", "I").field(17, "fin", "I").field(9 | 16, "sfin", "I");
        a.method(1, "inst", "()V").op(0xb1);
        a.method(9, "stat", "()V").op(0xb1);
        a.method(Asm.PRIV, "priv", "()V").op(0xb1);
        a.method(Asm.PRIV | 8, "spriv", "()V").op(0xb1);
        return a;
    }
    static Asm iface(String n, String... sup) {
        return new Asm(55, Asm.PUB | Asm.IFACE | Asm.ABSTRACT, n, "java/lang/Object", sup);
    }
    static Asm withDefault(String n, String... sup) {
        Asm a = iface(n, sup);
        a.method(1, "d", "()V").op(0xb1);
        return a;
    }

    // While its supers are looked for, a hidden class is circular by the name that its file declares.
    static void hidden(String what, Asm a) {
        Asm.t("hidden " + what, () -> java.lang.invoke.MethodHandles.lookup().defineHiddenClass(a.bytes(), true).lookupClass().getSuperclass());
    }
    static void hiddenCircles() {
        hidden("own superclass", new Asm(61, 33, "Own", "Own"));
        hidden("own interface", new Asm(61, 33, "Own", "java/lang/Object", "Own"));
        hidden("own superclass after an interface", new Asm(61, 33, "Own", "Own", "java/lang/Runnable"));
        hidden("of a loaded class", new Asm(61, 33, "LinkErrors", "LinkErrors"));
        hidden("no superclass", new Asm(61, 33, "Own", "Other"));
    }

    public static void main(String[] args) {
        hiddenCircles();
        t("no method", (a, c) -> c.op(0x03, 0x01).invokeStatic("Target", "nope", "(I[Ljava/lang/String;)J").op(0x58), target());
        t("no field", (a, c) -> c.op2(0xb2, a.fref("Target", "nope", "I")).op(0x57), target());
        t("field of another type", (a, c) -> c.op2(0xb2, a.fref("Target", "s", "J")).op(0x58), target());
        t("no class", (a, c) -> c.invokeStatic("gone/Away", "m", "()V"));
        t("new no class", (a, c) -> c.op2(0xbb, a.cls("gone/Away2")).op(0x57));
        t("static call of instance method", (a, c) -> c.invokeStatic("Target", "inst", "()V"), target());
        t("virtual call of static method", (a, c) -> c.create("Target").invokeVirtual("Target", "stat", "()V"), target());
        t("getstatic of instance field", (a, c) -> c.op2(0xb2, a.fref("Target", "f", "I")).op(0x57), target());
        t("getfield of static field", (a, c) -> c.create("Target").op2(0xb4, a.fref("Target", "s", "I")).op(0x57), target());
        t("interface call on a class", (a, c) -> c.create("Target").invokeInterface("Target", "inst", "()V", 1), target());
        t("virtual call on an interface", (a, c) -> c.op(0x01).invokeVirtual("If", "d", "()V"), withDefault("If"));
        t("methodref to a static interface method", (a, c) -> c.invokeStatic("If", "d", "()V"), withDefault("If"));
        t("private method", (a, c) -> c.create("Target").invokeVirtual("Target", "priv", "()V"), target());
        t("private static", (a, c) -> c.invokeStatic("Target", "spriv", "()V"), target());
        t("private field", (a, c) -> c.create("Target").op2(0xb4, a.fref("Target", "pf", "I")).op(0x57), target());
        t("private static field", (a, c) -> c.op2(0xb2, a.fref("Target", "ps", "I")).op(0x57), target());
        t("put final", (a, c) -> c.create("Target").op(0x03).op2(0xb5, a.fref("Target", "fin", "I")), target());
        t("put static final", (a, c) -> c.op(0x03).op2(0xb3, a.fref("Target", "sfin", "I")), target());
        t("package class of another loader", (a, c) -> c.op2(0xbb, a.cls("Asm")).op(0x57));
        t("package class", (a, c) -> c.op2(0xbb, a.cls("java/lang/AbstractStringBuilder")).op(0x57));
        t("class of a closed package", (a, c) -> c.op2(0xbb, a.cls("jdk/internal/misc/VM")).op(0x57));
        t("new abstract", (a, c) -> c.op2(0xbb, a.cls("java/lang/Number")).op(0x57));
        t("new interface", (a, c) -> c.op2(0xbb, a.cls("java/lang/Runnable")).op(0x57));
        Asm impl = new Asm(55, 33, "Impl", "java/lang/Object", "If1", "If2").constructor("java/lang/Object");
        // Not compared: invokeinterface with conflicting defaults. JVMS 6.5 demands IncompatibleClassChangeError, HotSpot throws AbstractMethodError.
        t("conflicting defaults by class", (a, c) -> c.create("Impl").invokeVirtual("Impl", "d", "()V"), impl, withDefault("If1"), withDefault("If2"));
        Asm both = new Asm(55, 33, "Impl3", "java/lang/Object", "If3", "If4").constructor("java/lang/Object");
        t("more specific default", (a, c) -> c.create("Impl3").invokeInterface("If3", "d", "()V", 1), both, withDefault("If3"), withDefault("If4", "If3"));
        Asm abs = iface("Abs1");
        abs.method(0x401, "d", "()V");
        Asm implA = new Asm(55, 33, "ImplA", "java/lang/Object", "Abs1").constructor("java/lang/Object");
        t("abstract by interface", (a, c) -> c.create("ImplA").invokeInterface("Abs1", "d", "()V", 1), implA, abs);
        t("abstract by class", (a, c) -> c.create("ImplA").invokeVirtual("ImplA", "d", "()V"), implA, abs);
        Asm reabs = iface("Re", "If1");
        reabs.method(0x401, "d", "()V");
        Asm implR = new Asm(55, 33, "ImplR", "java/lang/Object", "Re").constructor("java/lang/Object");
        t("default made abstract again", (a, c) -> c.create("ImplR").invokeInterface("If1", "d", "()V", 1), implR, reabs, withDefault("If1"));
        Asm nonpub = new Asm(55, 33, "NonPub", "java/lang/Object", "Abs1").constructor("java/lang/Object");
        nonpub.method(0, "d", "()V").op(0xb1);
        t("implementation not public", (a, c) -> c.create("NonPub").invokeInterface("Abs1", "d", "()V", 1), nonpub, abs);
        t("not an implementor", (a, c) -> c.ldc(a.str("s")).invokeInterface("Abs1", "d", "()V", 1), abs);
        t("uninit class is missing super", (a, c) -> c.create("NoSup"), new Asm(55, 33, "NoSup", "gone/Sup").constructor("gone/Sup"));
        t("missing interface", (a, c) -> c.create("NoIf"), new Asm(55, 33, "NoIf", "java/lang/Object", "gone/If").constructor("java/lang/Object"));
        t("interface as super", (a, c) -> c.create("IfSup"), new Asm(55, 33, "IfSup", "java/lang/Runnable").constructor("java/lang/Runnable"));
        t("class as interface", (a, c) -> c.create("ClIf"), new Asm(55, 33, "ClIf", "java/lang/Object", "java/lang/Thread").constructor("java/lang/Object"));
        t("final super", (a, c) -> c.create("FinSup"), new Asm(55, 33, "FinSup", "java/lang/String").constructor("java/lang/Object"));
        t("circular", (a, c) -> c.create("Circ1"), new Asm(55, 33, "Circ1", "Circ2").constructor("Circ2"), new Asm(55, 33, "Circ2", "Circ1").constructor("Circ1"));
        t("own super", (a, c) -> c.create("Own"), new Asm(55, 33, "Own", "Own").constructor("Own"));
        Asm fin = Asm.simple(55, "HasFin");
        fin.method(17, "x", "()V").op(0xb1);
        Asm over = new Asm(55, 33, "OverFin", "HasFin").constructor("HasFin");
        over.method(1, "x", "()V").op(0xb1);
        t("overrides final", (a, c) -> c.create("OverFin"), over, fin);
        Asm priv = Asm.simple(55, "PrivSup");
        priv.access = 32;
        t("super of another package", (a, c) -> c.create("p/Sub"), new Asm(55, 33, "p/Sub", "PrivSup").constructor("PrivSup"), priv);
        nest("host missing", "gone/Host", null);
        nest("host says nothing", "Host", Asm.simple(55, "Host"));
        nest("host names another", "Host", Asm.simple(55, "Host").attribute("NestMembers", o -> {}), "x");
        constraints();
    }

    static void nest(String what, String host, Asm h, String... unused) {
        Asm m = Asm.simple(55, "Member");
        int hi = m.cls(host);
        m.attribute("NestHost", o -> o.writeShort(hi));
        m.method(Asm.PRIV | 8, "p", "()V").op(0xb1);
        Asm hostClass = null;
        if (h != null) {
            hostClass = Asm.simple(55, "Host");
            if (unused.length > 0) {
                int other = hostClass.cls("Unrelated");
                hostClass.attribute("NestMembers", o -> {
                    o.writeShort(1);
                    o.writeShort(other);
                });
            }
            hostClass.method(9, "m", "()V").invokeStatic("Member", "p", "()V").op(0xb1);
        }
        Asm caller = Asm.simple(55, "Host2");
        caller.method(9, "m", "()V").invokeStatic("Member", "p", "()V").op(0xb1);
        Asm.Loader l = hostClass == null ? new Asm.Loader("L", m, caller) : new Asm.Loader("L", m, caller, hostClass);
        Asm.t("nest " + what, () -> Asm.run(l, h == null ? "Host2" : "Host"));
        Asm.t("nest host of member, " + what, () -> l.loadClass("Member").getNestHost());
    }

    static void constraints() {
        Asm shared = Asm.simple(55, "Shared");
        Asm lib = Asm.simple(55, "Lib");
        lib.method(9, "get", "()LShared;").create("Shared").op(0xb0);
        lib.field(9, "held", "LShared;");
        Asm user = Asm.simple(55, "User");
        user.method(9, "m", "()V").create("Shared").op(0x57).invokeStatic("Lib", "get", "()LShared;").op(0x57, 0xb1);
        Asm user2 = Asm.simple(55, "User2");
        user2.method(9, "m", "()V").create("Shared").op(0x57).op2(0xb2, user2.fref("Lib", "held", "LShared;")).op(0x57, 0xb1);
        Asm sub = new Asm(55, 33, "SubLib", "LibV").constructor("LibV");
        sub.method(1, "take", "(LShared;)V").op(0xb1);
        sub.method(9, "m", "()V").create("Shared").op(0x57).create("SubLib").op(0x57, 0xb1);
        Asm libV = Asm.simple(55, "LibV");
        libV.method(1, "take", "(LShared;)V").op(0xb1);
        libV.method(9, "load", "()V").create("Shared").op(0x57, 0xb1);
        Asm.Loader a = new Asm.Loader("A", shared, lib, libV);
        Asm.t("constraint method", () -> {
            Asm.Loader b = new Asm.Loader("B", shared, user);
            a.loadClass("Lib").getMethod("get").invoke(null);
            b.foreign.put("Lib", a.loadClass("Lib"));
            return Asm.run(b, "User");
        });
        Asm.t("constraint field", () -> {
            Asm.Loader b = new Asm.Loader("B2", shared, user2);
            b.foreign.put("Lib", a.loadClass("Lib"));
            return Asm.run(b, "User2");
        });
        Asm.t("constraint override", () -> {
            Asm.Loader b = new Asm.Loader("B3", shared, sub);
            a.loadClass("LibV").getMethod("load").invoke(null);
            b.foreign.put("LibV", a.loadClass("LibV"));
            b.loadClass("Shared").getDeclaredConstructor().newInstance();
            return Asm.run(b, "SubLib");
        });
        Asm.t("same class, no violation", () -> {
            Asm.Loader b = new Asm.Loader("B4", user);
            b.foreign.put("Lib", a.loadClass("Lib"));
            b.foreign.put("Shared", a.loadClass("Shared"));
            return Asm.run(b, "User");
        });
    }
}
