// SPDX-License-Identifier: Apache-2.0
// A method that overrides a final one fails the loading of its class, before anything links it; what only has its name and
// descriptor does not.
// @quick
public class FinalOverride {
    // A superclass whose method m()V has these modifiers; in package q or not.
    static Asm holder(String name, int access) {
        Asm a = Asm.simple(55, name);
        a.method(access, "m", "()V").op(0xb1);
        return a;
    }

    static void load(String what, String sub, int access, String desc, Asm... supers) {
        Asm a = new Asm(55, 33, sub, supers[supers.length - 1].name).constructor(supers[supers.length - 1].name);
        a.method(access, "m", desc).op(0xb1);
        Asm[] all = new Asm[supers.length + 1];
        all[0] = a;
        System.arraycopy(supers, 0, all, 1, supers.length);
        Asm.Loader l = new Asm.Loader("L", all);
        for (int i = 0; i < 2; i++)
            Asm.t(what, () -> Class.forName(sub.replace('/', '.'), false, l).getDeclaredMethods().length);
    }

    static void object(String what, int flags, int access, String name, String desc) {
        Asm a = new Asm(55, flags, "OfObject", "java/lang/Object");
        Asm.Code c = a.method(access, name, desc);
        if ((access & Asm.ABSTRACT) == 0)
            c.op(0xb1);
        Asm.t(what, () -> Class.forName("OfObject", false, new Asm.Loader("L", a)).getDeclaredMethods().length);
    }

    public static void main(String[] args) {
        int fin = 16, stat = 8, prot = 4;
        load("public final", "Sub", 1, "()V", holder("Sup", 1 | fin));
        load("protected final", "Sub", prot, "()V", holder("Sup", prot | fin));
        load("final in another package", "q/Sub", 1, "()V", holder("Sup", fin));
        load("final in the same package", "q/Sub", 1, "()V", holder("q/Sup", fin));
        load("protected final in another package", "q/Sub", 1, "()V", holder("Sup", prot | fin));
        load("private final", "Sub", 1, "()V", holder("Sup", Asm.PRIV | fin));
        load("static final", "Sub", 1, "()V", holder("Sup", 1 | stat | fin));
        load("by a static one", "Sub", 1 | stat, "()V", holder("Sup", 1 | fin));
        load("by a private one", "Sub", Asm.PRIV, "()V", holder("Sup", 1 | fin));
        load("another descriptor", "Sub", 1, "(I)V", holder("Sup", 1 | fin));
        Asm middle = new Asm(55, 33, "Mid", "Sup").constructor("Sup");
        load("two levels up", "Sub", 1, "()V", holder("Sup", 1 | fin), middle);
        object("of Object", 33, 1, "notify", "()V");
        object("of Object in an interface", Asm.PUB | Asm.IFACE | Asm.ABSTRACT, 1, "notify", "()V");
        object("of Object, abstract", Asm.PUB | Asm.IFACE | Asm.ABSTRACT, 1 | Asm.ABSTRACT, "notifyAll", "()V");
    }
}
