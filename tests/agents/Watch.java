// SPDX-License-Identifier: Apache-2.0
// Field watches: every type by bytecode and by JNI, statics, statics in an initializer, inherited
// fields, null receivers, reflection, handles and Unsafe (which are not reported), code that ran
// before the watch was set, and code that runs after it was cleared.
// @agent ti_watch
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;

public class Watch {
    static native void watch(Class<?> c, String name, String desc, boolean isStatic);

    static native void unwatch(Class<?> c, String name, String desc, boolean isStatic);

    static native void change(Class<?> c, String name, String desc, boolean isStatic, boolean access, boolean set);

    static native void watchOther(Class<?> c, String name, String desc);

    static native void watchAll(Class<?> c); // without initializing it

    static native void enable(boolean on);

    static native void disposeOther();

    static native void touch(Object o);

    static class Base {
        int i = 1;
        volatile long j = 2;
        int unwatched;
    }

    static class Data extends Base {
        boolean z = true;
        byte b = -3;
        char c = 'c';
        short s = -4;
        float f = 1.5f;
        double d = 2.5;
        String l = "text";
        int[] a = {1};
        static long st = 5;
    }

    static class Late {
        static int x = 1;
        static int y;

        static {
            watch(Late.class, "x", "I", true);
            x = x + 1;
            y = x;
        }
    }

    static class Fails {
        static int got = Integer.parseInt("none");
        static int put;
    }

    static void failing(boolean put) {
        try {
            if (put)
                Fails.put = 3;
            else
                System.out.println("got " + Fails.got);
            System.out.println("put " + put);
        } catch (LinkageError e) {
            System.out.println(e);
        }
    }

    static void all(Data o) {
        o.z = !o.z;
        o.b++;
        o.c++;
        o.s++;
        o.i++;
        o.j++;
        o.f++;
        o.d++;
        o.l = o.l == null ? "new" : null;
        o.a = new int[o.a.length];
        Data.st++;
        o.unwatched++;
    }

    static int read(Base b) {
        return b.i;
    }

    static void write(Base b, int v) {
        b.i = v;
    }

    static final String[][] FIELDS = {{"z", "Z"}, {"b", "B"}, {"c", "C"}, {"s", "S"}, {"i", "I"}, {"j", "J"}, {"f", "F"},
        {"d", "D"}, {"l", "Ljava/lang/String;"}, {"a", "[I"}};

    static void reflect(Data o) throws Throwable {
        Field f = Base.class.getDeclaredField("i");
        f.setInt(o, f.getInt(o) + 1);
        MethodHandle getter = MethodHandles.lookup().findGetter(Base.class, "i", int.class);
        VarHandle var = MethodHandles.lookup().findVarHandle(Base.class, "i", int.class);
        System.out.println("reflected " + (int) getter.invokeExact((Base) o) + " " + (int) var.getAndAdd((Base) o, 1));
    }

    // HotSpot reports these too, with a field that is none.
    static void nulls() {
        int thrown = 0;
        try {
            read(null);
        } catch (NullPointerException e) {
            thrown++;
        }
        try {
            write(null, 1);
        } catch (NullPointerException e) {
            thrown++;
        }
        if (thrown != 2)
            System.out.println("null receivers: " + thrown);
    }

    // A static and an instance field, each watched for accesses or for modifications alone.
    static void oneKind(Data o) {
        for (boolean access : new boolean[] {true, false}) {
            System.out.println("-- " + (access ? "accesses" : "modifications") + " alone");
            change(Data.class, "st", "J", true, access, true);
            change(Data.class, "d", "D", false, access, true);
            all(o);
            touch(o);
            change(Data.class, "st", "J", true, access, false);
            change(Data.class, "d", "D", false, access, false);
            all(o);
        }
    }

    public static void main(String[] args) throws Throwable {
        Data o = new Data();
        all(o);
        touch(o);
        reflect(o);
        System.out.println("-- watched");
        for (String[] f : FIELDS)
            watch(Data.class, f[0], f[1], false);
        watch(Data.class, "st", "J", true);
        watchOther(Data.class, "unwatched", "I");
        all(o);
        touch(o);
        System.out.println("-- not by bytecode or JNI");
        reflect(o);
        System.out.println("-- new instance");
        new Data();
        if (System.getProperty("java.vm.name").contains("Pellucid"))
            nulls();
        System.out.println("-- disabled");
        enable(false);
        all(o);
        enable(true);
        System.out.println("-- cleared");
        for (String[] f : FIELDS)
            if (!f[0].equals("i"))
                unwatch(Data.class, f[0], f[1], false);
        unwatch(Data.class, "st", "J", true);
        disposeOther();
        all(o);
        touch(o);
        write(o, read(o) + 1);
        unwatch(Data.class, "i", "I", false);
        write(o, read(o) + 1);
        System.out.println(o.z + " " + o.b + " " + (int) o.c + " " + o.s + " " + o.i + " " + o.j + " " + o.f + " " + o.d + " " + o.l + " " + o.a.length + " "
            + Data.st + " " + o.unwatched);
        oneKind(o);
        System.out.println("-- in an initializer");
        System.out.println("late " + Late.y + " " + Late.x);
        System.out.println("-- of a class whose initializer failed");
        failing(false);
        failing(true);
        watchAll(Fails.class);
        failing(false);
        failing(true);
    }
}
