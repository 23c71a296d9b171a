// SPDX-License-Identifier: Apache-2.0
// Why a class is not of the nest that it names, as the error of an access to a private member says it: of the class that
// accesses, of that which has the member, and of both, the first time and again.
// @quick
public class NestReasons {
    static Asm target(String name, String host, String... members) {
        Asm a = Asm.simple(55, name);
        a.method(Asm.PRIV | 8, "p", "()V").op(0xb1);
        a.field(Asm.PRIV | 8, "f", "I");
        a.method(9, "m", "()V").invokeStatic("Target", "p", "()V").op(0xb1);
        a.method(9, "g", "()V").op2(0xb2, a.fref("Target", "f", "I")).op(0x57, 0xb1);
        if (host != null) {
            int h = a.cls(host);
            a.attribute("NestHost", o -> o.writeShort(h));
        }
        if (members.length > 0) {
            int[] ms = java.util.Arrays.stream(members).mapToInt(a::cls).toArray();
            a.attribute("NestMembers", o -> {
                o.writeShort(ms.length);
                for (int m : ms) {
                    o.writeShort(m);
                }
            });
        }
        return a;
    }

    static void t(String what, Asm caller, Asm... others) {
        Asm.Loader l = new Asm.Loader("L", others).add(caller);
        for (int i = 0; i < 2; i++) {
            Asm.t(what + " method", () -> Asm.run(l, caller.name));
            Asm.t(what + " field", () -> l.loadClass(caller.name.replace('/', '.')).getMethod("g").invoke(null));
        }
        Asm.t(what + " reflection", () -> {
            java.lang.reflect.Method m = l.loadClass("Target").getDeclaredMethod("p");
            return m.getDeclaringClass().isNestmateOf(l.loadClass(caller.name.replace('/', '.')));
        });
        for (String n : new String[] {caller.name, "Target"}) {
            Asm.t(what + " host of " + n, () -> l.loadClass(n.replace('/', '.')).getNestHost());
            Asm.t(what + " members of " + n, () -> java.util.Arrays.toString(l.loadClass(n.replace('/', '.')).getNestMembers()));
        }
    }

    public static void main(String[] args) {
        String[] hosts = {null, "Caller", "Target", "Host", "p/Host", "Missing", "[LHost;", "[I", "java/lang/String", "Bad", "Member"};
        for (String a : hosts) {
            for (String b : hosts) {
                if (a != null && b != null && !a.equals(b) && !a.equals("Missing") && !b.equals("Host")) {
                    continue;
                }
                t("caller of " + a + ", target of " + b, target("Caller", a), target("Target", b), target("Host", null, "Other"), target("p/Host", null, "Caller"),
                    new Asm(55, 33, "Bad", "Caller", "Absent"), target("Member", "Host"));
            }
        }
        t("good", target("Caller", "Host"), target("Target", "Host"), target("Host", null, "Caller", "Target"));
        t("host itself", target("Caller", null, "Target"), target("Target", "Caller"));
        t("names itself and lists itself", target("Caller", null), target("Target", "Target"));
        t("other package", target("q/Caller", "Host"), target("Target", "Host"), target("Host", null, "q/Caller", "Target"));
        t("lists another", target("Caller", "Host"), target("Target", "Host"), target("Host", null, "Caller"));
    }
}
