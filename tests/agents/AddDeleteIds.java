// SPDX-License-Identifier: Apache-2.0
// Method ids of deleted methods, where HotSpot crashes: JVM TI takes them for stale, a call by JNI throws NoSuchMethodError, and
// both mean the method again once it is added again. While a frame is in its last version, the id is that version's.
// @only pellucid
// @agent ti_add_delete
// @flags -XX:+AllowRedefinitionToAddDeleteMethods
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;

class AddIdA {
    static Runnable hook;
    static String stay(Runnable r) { return "stay"; }
    static MethodHandles.Lookup lookup() { return MethodHandles.lookup(); }
}
class AddIdB {
    static Runnable hook;
    private static String gone() { return "gone 1"; }
    private final String own() { return "own 1"; }
    static String stay(Runnable r) {
        hook = r;
        return inside();
    }
    private static String inside() {
        Runnable r = hook;
        hook = null;
        if (r != null)
            r.run();
        return "inside";
    }
    static MethodHandles.Lookup lookup() { return MethodHandles.lookup(); }
}
class AddIdC { // `own` is another method
    static Runnable hook;
    private static String gone() { return "gone 2"; }
    private static String own() { return "own 2"; }
    static String stay(Runnable r) { return "stay"; }
    static MethodHandles.Lookup lookup() { return MethodHandles.lookup(); }
}

class AddIdN {
    static Runnable hook;
    private static native String bound();
    static String stay(Runnable r) {
        if (r != null)
            r.run();
        return bound();
    }
    static MethodHandles.Lookup lookup() { return MethodHandles.lookup(); }
}

public class AddDeleteIds extends AddDelete {
    static final Class<?> C = AddIdA.class;

    static void show(int i, String name, String descriptor) {
        facts(i);
        try {
            System.out.println("  called: " + call(i, C));
        } catch (NoSuchMethodError e) {
            System.out.println("  called: " + e);
        }
        try {
            System.out.println("  found: " + found(i, C, name, descriptor));
        } catch (NoSuchMethodError e) {
            System.out.println("  found: " + e);
        }
        Method m = (Method) reflected(i, C);
        m.setAccessible(true);
        try {
            System.out.println("  reflected: " + m + " " + m.invoke(null));
        } catch (Throwable e) {
            System.out.println("  reflected: " + e);
        }
    }

    static void change(String to) {
        System.out.println(to + ": " + become(C, to));
    }

    static void handle(MethodHandle h) {
        try {
            System.out.println("  by the handle: " + (h.type().parameterCount() == 0 ? h.invoke() : h.invoke(new AddIdA())));
        } catch (Throwable e) {
            System.out.println("  by the handle: " + e);
        }
    }

    static void duringBind() {
        tellBinds(false);
        change("AddIdA");
        change("AddIdN");
        change("AddIdA");
    }

    // Deleted while it is bound, and called once more by an old version.
    static void natives() {
        System.out.println(AddIdA.stay(null));
        change("AddIdN");
        tellBinds(true);
        System.out.println(AddIdA.stay(null));
        change("AddIdN");
        try {
            System.out.println(AddIdA.stay(() -> change("AddIdA")));
        } catch (NoSuchMethodError e) {
            System.out.println(e);
        }
        change("AddIdN");
        System.out.println(AddIdA.stay(null));
    }

    public static void main(String[] args) throws Exception {
        natives();
        change("AddIdB");
        Method own = C.getDeclaredMethod("own");
        keep(0, C.getDeclaredMethod("gone"));
        keep(1, C.getDeclaredMethod("inside"));
        keep(2, own);
        own.setAccessible(true);
        MethodHandle gone = AddIdA.lookup().unreflect((Method) reflected(0, C)), ownHandle = AddIdA.lookup().unreflect(own);
        show(0, "gone", "()Ljava/lang/String;");
        handle(ownHandle);
        for (String to : new String[] {"AddIdA", "AddIdC", "AddIdA", "AddIdB"}) {
            change(to);
            show(0, "gone", "()Ljava/lang/String;");
            handle(gone);
            handle(ownHandle);
            System.out.println("  own: " + own + " is one: " + java.util.Arrays.asList(C.getDeclaredMethods()).contains(own));
        }
        System.out.println(AddIdA.stay(() -> {
            change("AddIdA");
            facts(1);
            System.out.println("  called: " + call(1, C));
        }));
        System.gc(); // nothing is left of the version of `inside`
        show(1, "inside", "()Ljava/lang/String;");
        change("AddIdB");
        System.out.println(AddIdA.stay(null));
        facts(1);
    }
}
