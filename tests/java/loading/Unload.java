// SPDX-License-Identifier: Apache-2.0
// What keeps a class and its loader alive, one thing at a time; and that they go with it.
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

public class Unload {
    interface Maker {
        Object make(Class<?> c) throws Throwable;
    }

    // Keeps only what `maker` makes of the class, then drops that too.
    static void keptBy(String what, Maker maker, Maker use) throws Throwable {
        Object[] kept = new Object[1];
        WeakReference<ClassLoader> loader = fill(kept, maker);
        boolean stays = Dropped.stays(loader);
        Object used = used(kept[0], use);
        kept[0] = null;
        System.out.println(what + ": stays " + stays + ", " + used + ", goes " + Dropped.goes(loader));
    }

    static String used(Object kept, Maker use) throws Throwable {
        Object used = use.make(kept instanceof Class<?> c ? c : null);
        return String.valueOf(kept != null && used == null ? describe(kept) : used);
    }

    static Object describe(Object o) throws Throwable {
        if (o instanceof IntSupplier s) {
            return s.getAsInt();
        }
        if (o instanceof Method m) {
            return m.invoke(null);
        }
        if (o instanceof MethodHandle h) {
            return (Object) (int) h.invoke();
        }
        if (o instanceof Throwable t) {
            return t.getStackTrace()[0].getMethodName() + " " + t.getMessage();
        }
        if (o instanceof Object[] a) {
            return a.getClass().getName() + a.length;
        }
        return o.getClass().getName();
    }

    static WeakReference<ClassLoader> fill(Object[] kept, Maker maker) throws Throwable {
        ClassLoader l = new Dropped("Victim", "Victim$Face", "Victim$Sub", "Victim$Broken");
        kept[0] = maker.make(Class.forName("Victim", true, l));
        return new WeakReference<>(l);
    }

    static Object make(Class<?> c) throws Exception {
        return c.getDeclaredConstructor().newInstance();
    }

    static Object nothing(Class<?> c) {
        return null;
    }

    static Throwable thrown(Class<?> c) throws Exception {
        try {
            ((Supplier<?>) make(c)).get();
            return null;
        } catch (IllegalStateException e) {
            return e;
        }
    }

    static void reasons() throws Throwable {
        keptBy("nothing", Unload::nothing, Unload::nothing);
        keptBy("class", c -> c, c -> make(c).toString());
        keptBy("loader", Class::getClassLoader, Unload::nothing);
        keptBy("instance", Unload::make, Unload::nothing);
        keptBy("array", c -> Array.newInstance(c, 2), Unload::nothing);
        keptBy("array of arrays", c -> Array.newInstance(c, 1, 1), Unload::nothing);
        keptBy("method", c -> c.getMethod("count"), Unload::nothing);
        keptBy("method handle", c -> MethodHandles.lookup().findStatic(c, "count", MethodType.methodType(int.class)),
                Unload::nothing);
        keptBy("throwable", Unload::thrown, Unload::nothing);
        keptBy("lambda", c -> c.getMethod("lambda").invoke(null), Unload::nothing);
        keptBy("proxy", c -> Proxy.newProxyInstance(c.getClassLoader(), new Class<?>[] {IntSupplier.class,
            Class.forName("Victim$Face", true, c.getClassLoader())}, (p, m, a) -> 5), Unload::nothing);
        keptBy("subclass", c -> make(Class.forName("Victim$Sub", true, c.getClassLoader())), Unload::nothing);
    }

    // ---- statics die with their class ----
    static void statics() throws Throwable {
        for (int i = 0; i < 3; i++) {
            Class<?> c = Class.forName("Victim", true, new Dropped("Victim"));
            System.out.println("count " + c.getMethod("count").invoke(null) + " " + c.getMethod("count").invoke(null));
            c = null;
            System.gc();
        }
    }

    // ---- a frame ----
    static void frame() throws Throwable {
        CountDownLatch in = new CountDownLatch(1), out = new CountDownLatch(1);
        WeakReference<ClassLoader> loader = start(in, out);
        in.await();
        boolean stays = Dropped.stays(loader);
        out.countDown();
        System.out.println("frame: stays " + stays + ", goes " + Dropped.goes(loader));
    }

    static WeakReference<ClassLoader> start(CountDownLatch in, CountDownLatch out) throws Throwable {
        Class<?> c = Class.forName("Victim", true, new Dropped("Victim"));
        Runnable r = (Runnable) c.getMethod("waiter", CountDownLatch.class, CountDownLatch.class).invoke(null, in, out);
        new Thread(r).start();
        return new WeakReference<>(c.getClassLoader());
    }

    // ---- a class that only resolution knows of ----
    static class WeakChild extends Dropped {
        final Reference<ClassLoader> other;

        WeakChild(ClassLoader other) {
            super("Victim$Sub");
            this.other = new WeakReference<>(other);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals("Victim") ? other.get().loadClass(name) : super.loadClass(name, resolve);
        }
    }

    static void resolution() throws Throwable {
        ClassLoader parent = new Dropped("Victim");
        WeakChild child = new WeakChild(parent);
        IntSupplier sub = (IntSupplier) make(child.loadClass("Victim$Sub"));
        Reference.reachabilityFence(parent);
        parent = null;
        System.out.println("resolved: " + sub.getAsInt() + " stays " + Dropped.stays(child.other) + " " + sub.getAsInt());
        Reference<ClassLoader> other = child.other;
        child = null;
        sub = null;
        System.out.println("resolved: goes " + Dropped.goes(other));
    }

    // ---- hidden classes ----
    static void hidden() throws Throwable {
        byte[] bytes = Dropped.bytes("Victim");
        MethodHandles.Lookup here = MethodHandles.lookup();
        WeakReference<Class<?>> weak = new WeakReference<>(here.defineHiddenClass(bytes, true).lookupClass());
        WeakReference<Class<?>> strong = new WeakReference<>(
                here.defineHiddenClass(bytes, true, MethodHandles.Lookup.ClassOption.STRONG).lookupClass());
        Object instance = make(here.defineHiddenClass(bytes, false).lookupClass());
        WeakReference<Class<?>> used = new WeakReference<>(instance.getClass());
        System.out.println("hidden: weak goes " + Dropped.goes(weak) + ", strong stays " + Dropped.stays(strong)
                + ", used stays " + Dropped.stays(used) + " " + ((IntSupplier) instance).getAsInt());
        instance = null;
        System.out.println("hidden: used goes " + Dropped.goes(used));
    }

    // ---- failures ----
    static void failures() throws Throwable {
        WeakReference<ClassLoader> loader = fail();
        System.out.println("failures: goes " + Dropped.goes(loader));
    }

    static WeakReference<ClassLoader> fail() throws Throwable {
        Dropped l = new Dropped("Victim", "Victim$Broken");
        for (int i = 0; i < 2; i++) {
            try {
                Class.forName("Victim$Broken", true, l);
            } catch (LinkageError e) {
                System.out.println(e.getClass().getName());
            }
        }
        for (int i = 0; i < 20; i++) {
            try {
                l.define("Victim", Dropped.bytes("Victim"));
            } catch (LinkageError e) {
                if (i == 19) {
                    System.out.println(e.getClass().getName());
                }
            }
        }
        System.gc();
        return new WeakReference<>(l);
    }

    public static void main(String[] args) throws Throwable {
        reasons();
        statics();
        frame();
        resolution();
        hidden();
        failures();
    }
}
