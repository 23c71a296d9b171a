// SPDX-License-Identifier: Apache-2.0
// Receivers that do not implement the interface of a call: the verifier lets any reference stand for an interface, so
// invokespecial in an interface and invokeinterface look at the receiver themselves, also where nothing is selected.
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

public class InterfaceReceivers {
    static final int SPECIAL = 0xb7;
    static final int INTERFACE = 0xb9;

    static Asm iface(int major, String name, String... supers) {
        Asm a = new Asm(major, Asm.PUB | Asm.IFACE | Asm.ABSTRACT, name, "java/lang/Object", supers);
        String text = a.name;
        a.method(1, "toName", "()Ljava/lang/String;").size(1, 1).ldc(a.str("toName of " + text)).op(0xb0);
        return a;
    }

    // A static method that calls a method of its argument by one instruction.
    static void caller(Asm a, String name, int op, int ref, String ret) {
        Asm.Code c = a.method(9, name, "(Ljava/lang/Object;)Ljava/lang/Object;").size(2, 1).op(0x2a).op2(op, ref);
        if (op == INTERFACE) {
            c.op(1, 0);
        }
        c.op(0xb0);
    }

    static Asm[] classes(int major) {
        String s = "()Ljava/lang/String;";
        Asm i = iface(major, "I");
        i.method(1, "d", s).size(1, 1).ldc(i.str("d of I")).op(0xb0);
        i.method(2, "p", s).size(1, 1).ldc(i.str("p of I")).op(0xb0);
        i.method(0x401, "abs", s);
        caller(i, "special_p", SPECIAL, i.iref("I", "p", s), s);
        caller(i, "special_d", SPECIAL, i.iref("I", "d", s), s);
        caller(i, "special_toString", SPECIAL, i.iref("I", "toString", s), s);
        caller(i, "special_getClass", SPECIAL, i.iref("I", "getClass", "()Ljava/lang/Class;"), s);
        caller(i, "special_Object_toString", SPECIAL, i.mref("java/lang/Object", "toString", s), s);
        caller(i, "special_Object_getClass", SPECIAL, i.mref("java/lang/Object", "getClass", "()Ljava/lang/Class;"), s);
        caller(i, "special_abs", SPECIAL, i.iref("I", "abs", s), s);
        caller(i, "interface_p", INTERFACE, i.iref("I", "p", s), s);
        caller(i, "interface_d", INTERFACE, i.iref("I", "d", s), s);
        caller(i, "interface_abs", INTERFACE, i.iref("I", "abs", s), s);
        caller(i, "interface_getClass", INTERFACE, i.iref("I", "getClass", "()Ljava/lang/Class;"), s);
        caller(i, "interface_toName", INTERFACE, i.iref("I", "toName", s), s);
        Asm j = iface(major, "J", "I");
        caller(j, "special_super_d", SPECIAL, j.iref("I", "d", s), s);
        caller(j, "interface_inherited_d", INTERFACE, j.iref("J", "d", s), s);
        caller(j, "interface_super_d", INTERFACE, j.iref("I", "d", s), s);
        caller(j, "interface_inherited_p", INTERFACE, j.iref("J", "p", s), s);
        caller(j, "interface_toString", INTERFACE, j.iref("J", "toString", s), s);
        caller(j, "interface_hashCode", INTERFACE, j.iref("J", "toString", s), s);
        return new Asm[] {i, j, impl(major, "ImplI", "I"), impl(major, "ImplJ", "J"), impl(major, "None")};
    }

    static Asm impl(int major, String name, String... ifs) {
        Asm a = new Asm(major, 33, name, "java/lang/Object", ifs).constructor("java/lang/Object");
        a.method(1, "d", "()Ljava/lang/String;").size(1, 1).ldc(a.str("d of " + name)).op(0xb0);
        a.method(1, "p", "()Ljava/lang/String;").size(1, 1).ldc(a.str("p of " + name)).op(0xb0);
        a.method(1, "abs", "()Ljava/lang/String;").size(1, 1).ldc(a.str("abs of " + name)).op(0xb0);
        a.method(1, "toString", "()Ljava/lang/String;").size(1, 1).ldc(a.str("a " + name)).op(0xb0);
        return a;
    }

    // Each twice: the second time the instruction is resolved already.
    static void calls(int major, boolean goodFirst) throws Throwable {
        Asm.Loader l = new Asm.Loader("L" + major, classes(major));
        Object[] receivers = {make(l, "None"), "text", new int[0], make(l, "ImplI"), make(l, "ImplJ"), null};
        for (String in : new String[] {"I", "J"}) {
            for (java.lang.reflect.Method m : sorted(l.loadClass(in).getDeclaredMethods())) {
                for (int n = 0; n < receivers.length; n++) {
                    Object r = receivers[goodFirst ? receivers.length - 1 - n : n];
                    String what = major + " " + m.getName() + " on " + (r == null ? "null" : r.getClass().getName());
                    Asm.t(what, () -> m.invoke(null, r));
                    Asm.t(what + " again", () -> m.invoke(null, r));
                }
            }
        }
    }

    static Object make(ClassLoader l, String name) throws ReflectiveOperationException {
        return l.loadClass(name).getDeclaredConstructor().newInstance();
    }

    static java.lang.reflect.Method[] sorted(java.lang.reflect.Method[] ms) {
        return java.util.Arrays.stream(ms).filter(m -> m.getParameterCount() == 1).sorted(java.util.Comparator.comparing(java.lang.reflect.Method::getName)).toArray(java.lang.reflect.Method[]::new);
    }

    // Method handle constants of the interface itself, which take what an unchecked cast made of another object.
    static void handles() throws Throwable {
        String s = "()Ljava/lang/String;";
        Asm i = iface(55, "H");
        i.method(2, "p", s).size(1, 1).ldc(i.str("p of H")).op(0xb0);
        i.method(1, "d", s).size(1, 1).ldc(i.str("d of H")).op(0xb0);
        String[] names = {"special_p", "special_d", "interface_p", "interface_d", "special_toString", "interface_toString", "interface_getClass"};
        for (String n : names) {
            String member = n.substring(n.indexOf('_') + 1);
            String desc = member.equals("getClass") ? "()Ljava/lang/Class;" : s;
            Asm.Code c = i.method(9, n, "()Ljava/lang/invoke/MethodHandle;").size(1, 0);
            c.ldc(i.handle(n.startsWith("special") ? 7 : 9, i.iref("H", member, desc))).op(0xb0);
        }
        Asm.Loader l = new Asm.Loader("H", i, impl(55, "ImplH", "H"), impl(55, "None"));
        Class<?> h = l.loadClass("H");
        MethodHandle identity = java.lang.invoke.MethodHandles.identity(Object.class);
        MethodHandle cast = java.lang.invoke.MethodHandles.explicitCastArguments(identity, MethodType.methodType(h, Object.class));
        for (String n : names) {
            for (String r : new String[] {"ImplH", "None"}) {
                Object receiver = make(l, r);
                Asm.t("handle " + n + " on " + r, () -> {
                    MethodHandle m = (MethodHandle) h.getMethod(n).invoke(null);
                    return java.lang.invoke.MethodHandles.filterArguments(m, 0, cast).invokeWithArguments(receiver);
                });
            }
        }
    }

    // Constants of a method handle whose kind of reference does not fit the class: the message has the constant's index.
    static void wrongKinds() throws Throwable {
        Asm i = iface(55, "W");
        i.method(2, "p", "()V").size(1, 1).op(0xb1);
        i.method(9, "method", "()Ljava/lang/invoke/MethodHandle;").size(1, 0).ldc(i.handle(7, i.mref("W", "p", "()V"))).op(0xb0);
        i.method(9, "iface", "()Ljava/lang/invoke/MethodHandle;").size(1, 0).ldc(i.handle(7, i.iref("ImplW", "p", "()V"))).op(0xb0);
        Class<?> w = new Asm.Loader("W", i, impl(55, "ImplW", "W")).loadClass("W");
        for (String n : new String[] {"method", "iface"}) {
            Asm.t("wrong kind " + n, () -> w.getMethod(n).invoke(null));
        }
    }

    interface Look {
        static MethodHandles.Lookup up() {
            return MethodHandles.lookup();
        }
    }

    // A method of Object, by invokespecial from an interface: there is no superclass to look in.
    static void specialOfObject() throws Throwable {
        for (String name : new String[] {"hashCode", "nothing"}) {
            Asm.t("findSpecial " + name, () -> Look.up().findSpecial(Object.class, name, MethodType.methodType(int.class), Look.class));
        }
        Asm.t("unreflectSpecial", () -> Look.up().unreflectSpecial(Object.class.getMethod("hashCode"), Look.class));
    }

    public static void main(String[] args) throws Throwable {
        for (int major : new int[] {52, 55, 61}) {
            calls(major, major == 61);
        }
        handles();
        wrongKinds();
        specialOfObject();
    }
}
