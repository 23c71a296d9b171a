// SPDX-License-Identifier: Apache-2.0
// Methods are added and deleted over and over: while threads call them by every kind of call, with other names each time, and in
// classes that are unloaded. Memory stays flat.
// HotSpot frees what a handle or an id of a deleted method names.
// @only pellucid
// @agent ti_redefine
// @flags -XX:+AllowRedefinitionToAddDeleteMethods
// @timeout 120
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

class OftA {
    static int count;
    static class Nest {
        static String call() { return OftA.secret(1); }
    }
    static String go(int i) { return secret(i) + new OftA().own(i) + lambda(i).get(); }
    private static String secret(int i) { return "secret"; }
    private final String own(int i) { return "own"; }
    static Supplier<String> lambda(int i) { return () -> "lambda" + i; }
    static MethodHandles.Lookup lookup() { return MethodHandles.lookup(); }
}
// A go of OftA that runs meanwhile calls the lambda of OftB.
class OftOne implements Supplier<String> {
    @Override
    public String get() {
        return "lambda1";
    }
}
class OftB {
    static int count;
    static class Nest {
        static String call() { return null; }
    }
    static String go(int i) { return "nothing"; }
    static Supplier<String> lambda(int i) { return new OftOne(); }
    static MethodHandles.Lookup lookup() { return MethodHandles.lookup(); }
}
class OftC {
    static String go(Runnable r) { return name0000(r); }
    private static String name0000(Runnable r) {
        r.run();
        return "of 0000";
    }
}
class OftD {
    static String go(Runnable r) { return "empty"; }
}

public class AddDeleteOften extends Redefiner {
    static final byte[] C = as(OftD.class, "OftC"), D = file("OftD");
    static volatile boolean stop;
    static final AtomicInteger done = new AtomicInteger(), missed = new AtomicInteger();

    static void calls(Callable<String> call) {
        while (!stop) {
            try {
                String s = call.call();
                if (s != null && !s.matches("secret|own|nothing|lambda1|secretownlambda1"))
                    throw new IllegalStateException(s);
                done.getAndIncrement();
            } catch (Throwable e) {
                Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
                if (!(cause instanceof NoSuchMethodError) && !(cause instanceof InternalError && cause.getMessage().equals("invoke")))
                    throw new IllegalStateException(e);
                missed.getAndIncrement();
            }
        }
    }

    static void threads(int rounds) throws Exception {
        Class<?> c = OftA.class;
        byte[] with = file("OftA"), without = as(c, "OftB");
        Method secret = c.getDeclaredMethod("secret", int.class), own = c.getDeclaredMethod("own", int.class);
        secret.setAccessible(true);
        own.setAccessible(true);
        MethodHandle h = OftA.lookup().unreflect(secret), hOwn = OftA.lookup().unreflect(own);
        OftA object = new OftA();
        Supplier<String> lambda = OftA.lambda(1);
        Callable<?>[] all = {() -> OftA.go(1), () -> OftA.Nest.call(), lambda::get, () -> secret.invoke(null, 1), () -> own.invoke(object, 1),
                             () -> invoked(h, 1), () -> invoked(hOwn, object, 1), () -> listed(c)};
        Thread[] threads = new Thread[all.length];
        AtomicInteger failed = new AtomicInteger();
        for (int i = 0; i < all.length; i++) {
            Callable<?> call = all[i];
            threads[i] = new Thread(() -> calls(() -> (String) call.call()));
            threads[i].setUncaughtExceptionHandler((t, e) -> {
                failed.getAndIncrement();
                e.printStackTrace();
            });
            threads[i].start();
        }
        for (int i = 0; i < rounds || (done.get() < 1000 && failed.get() == 0); i++) {
            int error = redefine(c, i % 2 == 0 ? without : with);
            if (error != 0)
                throw new IllegalStateException("error " + error);
            Thread.yield();
        }
        stop = true;
        for (Thread t : threads)
            t.join();
        System.out.println("threads failed: " + failed + ", called: " + (done.get() > 0) + " " + (missed.get() > 0));
    }

    static String invoked(MethodHandle h, Object... arguments) throws Exception {
        try {
            return (String) h.invokeWithArguments(arguments);
        } catch (Error | Exception e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    static String listed(Class<?> c) {
        for (Method m : c.getDeclaredMethods())
            if (m.toString() == null)
                throw new IllegalStateException();
        return null;
    }

    static String nameOf(int i) {
        return String.format("%04d", i);
    }

    // One method or none, with a name of its own, and a frame in it while it is deleted.
    static void round(Class<?> c, Method go, int i, boolean show) throws Exception {
        int error = redefine(c, replace(C, "0000", nameOf(i)));
        String was = (String) go.invoke(null, (Runnable) () -> {
            if (redefine(c, D) != 0)
                throw new IllegalStateException();
        });
        if (error != 0 || !was.equals("of " + nameOf(i)) || c.getDeclaredMethods().length != 1 || !go.invoke(null, (Object) null).equals("empty"))
            throw new IllegalStateException(error + " " + was);
        if (show)
            System.out.println(was);
    }

    static class Own extends ClassLoader {
        Own() {
            super(null);
        }

        Class<?> define() {
            return defineClass(null, D, 0, D.length);
        }
    }

    static WeakReference<ClassLoader> unloadable(int i) throws Exception {
        Own loader = new Own();
        Class<?> c = loader.define();
        Method go = c.getDeclaredMethod("go", Runnable.class);
        go.setAccessible(true);
        for (int j = 0; j < 5; j++)
            round(c, go, j % 3, false);
        if (i % 2 == 0)
            redefine(c, C);
        return new WeakReference<>(loader);
    }

    public static void main(String[] args) throws Exception {
        threads(200);
        Class<?> c = OftD.class;
        Method go = c.getDeclaredMethod("go", Runnable.class);
        for (int i = 0; i < 400; i++)
            round(c, go, i, i % 100 == 0);
        for (int i = 0; i < 100; i++) // Method.invoke has its own class by now
            round(c, go, i % 20, false);
        long before = metaspace();
        for (int i = 0; i < 1000; i++)
            round(c, go, i % 20, false);
        long grown = metaspace() - before;
        System.out.println(grown < 20_000 ? "flat" : "grown by " + grown);
        WeakReference<?>[] loaders = new WeakReference<?>[40];
        for (int i = 0; i < loaders.length; i++)
            loaders[i] = unloadable(i);
        for (int i = 0; i < 100 && gone(loaders) < 39; i++)
            System.gc();
        System.out.println("unloaded: " + (gone(loaders) >= 39));
    }
}
