// SPDX-License-Identifier: Apache-2.0
// Each instruction that refers to a member or class, from each place, to each kind of class and member: class and message of
// the error of resolution, or that there is none.
// @mask (?<=' )@[0-9a-f]+
public class LinkMatrix {
    static final int[] MEMBER_FLAGS = {1, 0, 2, 4, 9, 8, 10, 12, 0x11, 0x19};
    static final int[] CLASS_FLAGS = {33, 32, 0x421, 0x31, 0x601, 0x600};
    static final String[] PLACES = {"same package", "other package", "subclass", "other loader", "subclass of other loader"};

    static boolean isInterface(int flags) {
        return (flags & Asm.IFACE) != 0;
    }

    static Asm target(int classFlags, int memberFlags, boolean body) {
        Asm a = new Asm(55, classFlags, "p/Target", "java/lang/Object");
        if (!isInterface(classFlags)) {
            a.method(1, "<init>", "()V").size(1, 1).op(0x2a).invokeSpecial("java/lang/Object", "<init>", "()V").op(0xb1);
        }
        int field = isInterface(classFlags) ? 0x19 : memberFlags;
        a.field(field, "f", "I");
        int method = !isInterface(classFlags) ? memberFlags : (memberFlags & 2) != 0 ? memberFlags & 10 : memberFlags & 8 | 1;
        if (body) {
            a.method(method, "m", "(I)I").size(2, 2).op(0x03, 0xac);
        } else {
            a.method(isInterface(classFlags) ? 0x401 : 0x400 | memberFlags & 5, "m", "(I)I");
        }
        return a;
    }

    static void receiver(Asm.Code c, int op, String self) {
        if (op == 0xb4 || op == 0xb5 || op == 0xb6 || op == 0xb9) {
            c.op(0x01);
        } else if (op == 0xb7) {
            c.op(0x2a);
        }
    }

    static Asm caller(String name, String sup, int op, boolean interfaceRef, String member) {
        Asm a = new Asm(55, 33, name, sup);
        a.constructor(sup);
        Asm.Code c = a.method(op == 0xb7 ? 1 : 9, "go", "()V").size(4, 2);
        receiver(c, op, name);
        switch (op) {
        case 0xb2, 0xb4 -> c.op2(op, a.fref("p/Target", member, "I"));
        case 0xb3, 0xb5 -> c.op(0x03).op2(op, a.fref("p/Target", member, "I"));
        case 0xbb -> c.op2(op, a.cls("p/Target"));
        case 0xc0 -> c.ldc(a.str("x")).op2(op, a.cls("p/Target"));
        case 0xbd -> c.op(0x03).op2(op, a.cls("p/Target"));
        default -> {
            int index = interfaceRef ? a.iref("p/Target", member, "(I)I") : a.mref("p/Target", member, "(I)I");
            c.op(0x03).op2(op, index);
            if (op == 0xb9) {
                c.op(2, 0);
            }
        }
        }
        c.op(0xb1);
        return a;
    }

    static String run(Asm target, Asm caller, boolean otherLoader) {
        try {
            Asm.Loader first = new Asm.Loader("first", target);
            Asm.Loader second = otherLoader ? new Asm.Loader("second", caller) : first.add(caller);
            if (otherLoader) {
                second.foreign.put("p.Target", first.loadClass("p.Target"));
            }
            Class<?> c = Class.forName(caller.name.replace('/', '.'), true, second);
            java.lang.reflect.Method m = c.getMethod("go");
            m.invoke((m.getModifiers() & 8) != 0 ? null : c.getDeclaredConstructor().newInstance());
            return "ok";
        } catch (java.lang.reflect.InvocationTargetException e) {
            return "run: " + e.getCause();
        } catch (LinkageError | ReflectiveOperationException e) {
            return "load: " + e;
        }
    }

    static void one(String what, int classFlags, int memberFlags, boolean body, int op, boolean interfaceRef, int place, String member) {
        boolean sub = place == 2 || place == 4;
        Asm caller = caller(place == 0 ? "p/Caller" : "q/Caller", sub ? "p/Target" : "java/lang/Object", op, interfaceRef, member);
        System.out.println(what + " from " + PLACES[place] + ": " + run(target(classFlags, memberFlags, body), caller, place > 2));
    }

    static void all(int classFlags, int memberFlags, boolean body) {
        String kind = Integer.toHexString(classFlags) + "/" + Integer.toHexString(memberFlags) + (body ? "" : "abstract");
        for (int place = 0; place < PLACES.length; place++) {
            if ((place == 2 || place == 4) && (isInterface(classFlags) || (classFlags & Asm.FINAL) != 0)) {
                continue;
            }
            for (int op : new int[] {0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xbb, 0xc0, 0xbd}) {
                boolean field = op < 0xb6;
                boolean type = op > 0xb9;
                if (type && memberFlags != 1) {
                    continue;
                }
                one("op " + op + " of " + kind, classFlags, memberFlags, body, op, op == 0xb9, place, field ? "f" : "m");
                if (!type && memberFlags == 1) {
                    one("op " + op + " of no member of " + kind, classFlags, memberFlags, body, op, op == 0xb9, place, "none");
                }
                if (op == 0xb7 || op == 0xb8) {
                    one("op " + op + " by interface of " + kind, classFlags, memberFlags, body, op, true, place, "m");
                }
            }
        }
    }

    public static void main(String[] args) {
        for (int classFlags : CLASS_FLAGS) {
            for (int memberFlags : MEMBER_FLAGS) {
                all(classFlags, memberFlags, true);
            }
            if ((classFlags & Asm.ABSTRACT) != 0) {
                all(classFlags, 1, false);
            }
        }
    }
}
