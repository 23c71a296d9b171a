// SPDX-License-Identifier: Apache-2.0
// invokespecial looks for an instance method among the superclasses (JVMS 6.5): a static one of the same name and type in
// between is passed over, in bytecode and in method handles.
// @quick
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

public class SpecialStatics {
    static final String D = "()Ljava/lang/String;";

    static Asm type(String name, String sup, int access, String... ifs) {
        Asm a = new Asm(55, 33, name, sup, ifs).constructor(sup);
        if (access >= 0) {
            a.method(access, "m", D).size(1, 1).ldc(a.str(access + " m of " + name)).op(0xb0);
        }
        return a;
    }

    static void t(String what, Asm... above) {
        for (Asm named : above) {
            Asm low = new Asm(55, 33, "Low", above[above.length - 1].name).constructor(above[above.length - 1].name);
            low.method(1, "go", D).size(1, 1).op(0x2a).invokeSpecial(named.name, "m", D).op(0xb0);
            low.method(1, "m", D).size(1, 1).ldc(low.str("m of Low")).op(0xb0);
            Asm.Loader l = new Asm.Loader("L", above).add(low);
            Asm.t(what + ": " + named.name, () -> {
                Object o = l.loadClass("Low").getDeclaredConstructor().newInstance();
                return o.getClass().getMethod("go").invoke(o);
            });
            Asm.t(what + ": handle of " + named.name, () -> {
                Class<?> c = l.loadClass("Low");
                Object o = c.getDeclaredConstructor().newInstance();
                MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(c, MethodHandles.lookup());
                return lookup.findSpecial(l.loadClass(named.name), "m", MethodType.methodType(String.class), c).invoke(o);
            });
        }
    }

    public static void main(String[] args) {
        Asm def = new Asm(55, Asm.PUB | Asm.IFACE | Asm.ABSTRACT, "I", "java/lang/Object");
        def.method(1, "m", D).size(1, 1).ldc(def.str("m of I")).op(0xb0);
        t("static between", type("A", "java/lang/Object", 1), type("B", "A", 9));
        t("static between, more", type("A", "java/lang/Object", 1), type("B", "A", 9), type("C", "B", -1));
        t("statics", type("A", "java/lang/Object", 1), type("B", "A", 9), type("C", "B", 9));
        t("only static", type("A", "java/lang/Object", 9), type("B", "A", -1));
        t("private between", type("A", "java/lang/Object", 1), type("B", "A", 2), type("C", "B", -1));
        Asm b = type("B", "A", 9, "I");
        Asm.t("default", () -> {
            Asm low = new Asm(55, 33, "Low", "B").constructor("B");
            low.method(9, "m", "()Ljava/lang/Object;").create("Low").invokeVirtual("Low", "go", D).op(0xb0);
            low.method(1, "go", D).size(1, 1).op(0x2a).invokeSpecial("A", "m", D).op(0xb0);
            return Asm.run(low, type("A", "java/lang/Object", -1, "I"), b, def);
        });
        for (boolean direct : new boolean[] {false, true})
            Asm.t("handle of a default, of a direct superinterface: " + direct, () -> {
                Asm low = direct ? new Asm(55, 33, "Low", "B", "I") : new Asm(55, 33, "Low", "B");
                low.constructor("B");
                low.method(9, "m", "()Ljava/lang/Object;").ldc(low.handle(7, low.iref("I", "m", D))).op(0xb0);
                return Asm.run(low, type("A", "java/lang/Object", -1, "I"), type("B", "A", -1), def) != null;
            });
        Asm other = new Asm(55, Asm.PUB | Asm.IFACE | Asm.ABSTRACT, "J", "java/lang/Object");
        other.method(1, "m", D).size(1, 1).ldc(other.str("m of J")).op(0xb0);
        for (String named : new String[] {"A", "B"}) {
            Asm.t("conflicting defaults: " + named, () -> {
                Asm low = new Asm(55, 33, "Low", "B").constructor("B");
                low.method(9, "m", "()Ljava/lang/Object;").create("Low").invokeVirtual("Low", "go", D).op(0xb0);
                low.method(1, "go", D).size(1, 1).op(0x2a).invokeSpecial(named, "m", D).op(0xb0);
                return Asm.run(low, type("A", "java/lang/Object", -1, "I", "J"), type("B", "A", -1), def, other);
            });
        }
        for (int access : new int[] {1, 2})
            Asm.t("private of a nestmate, and " + access + " between", () -> {
                Asm base = type("A", "java/lang/Object", 2), between = type("B", "A", access);
                Asm low = new Asm(55, 33, "Low", "B").constructor("B");
                low.method(9, "m", "()Ljava/lang/Object;").create("Low").invokeVirtual("Low", "go", D).op(0xb0);
                low.method(1, "go", D).size(1, 1).op(0x2a).invokeSpecial("A", "m", D).op(0xb0);
                for (Asm member : new Asm[] {between, low}) {
                    int host = member.cls("A");
                    member.attribute("NestHost", o -> o.writeShort(host));
                }
                int[] members = {base.cls("B"), base.cls("Low")};
                base.attribute("NestMembers", o -> {
                    o.writeShort(members.length);
                    for (int m : members)
                        o.writeShort(m);
                });
                return Asm.run(low, base, between, def);
            });
    }
}
