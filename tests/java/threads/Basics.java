// SPDX-License-Identifier: Apache-2.0
// Thread start, join, daemon, groups, priorities, names, uncaught handlers, thread locals, enumeration.
// @quick
import java.util.*;
import java.util.concurrent.atomic.*;

public class Basics {
    interface R {
        void run() throws Exception;
    }
    static void t(R r) {
        try {
            r.run();
            System.out.println("fine");
        } catch (Throwable e) {
            System.out.println(e);
        }
    }

    // A thread that was joined is in no list of the living, though the VM may still be taking it down.
    static int listedAfterJoin() throws Exception {
        int listed = 0;
        for (int i = 0; i < 100; i++) {
            Thread t = new Thread(() -> { });
            t.start();
            t.join();
            listed += Thread.getAllStackTraces().containsKey(t) ? 1 : 0;
        }
        return listed;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("listed after join: " + listedAfterJoin());
        Thread m = Thread.currentThread();
        System.out.println(m.getName() + " " + m.getPriority() + " " + m.isDaemon() + " " + m.getThreadGroup().getName() + " "
            + m.getThreadGroup().getParent().getName() + " " + m.getState() + " " + m.isAlive() + " " + m.getId() + " " + m);
        Thread a = new Thread(() -> System.out.println("run in " + Thread.currentThread().getName()), "A");
        System.out.println(a.getState() + " " + a.isAlive());
        a.start();
        a.join();
        System.out.println(a.getState() + " " + a.isAlive() + " " + a.getThreadGroup());
        t(a::start);
        t(() -> a.setDaemon(true));
        ThreadGroup g = new ThreadGroup("G");
        g.setMaxPriority(3);
        Thread b = new Thread(g, () -> System.out.println("prio " + Thread.currentThread().getPriority() + " " + Thread.currentThread().getThreadGroup().getName()), "B");
        b.setPriority(9);
        b.start();
        b.join();
        System.out.println(g.activeCount());
        t(() -> b.setPriority(11));
        Thread c = new Thread(() -> {
            throw new IllegalStateException("in C");
        }, "C");
        c.setUncaughtExceptionHandler((x, e) -> System.out.println("handler " + x.getName() + " " + e));
        c.start();
        c.join();
        Thread.setDefaultUncaughtExceptionHandler((x, e) -> System.out.println("default " + x.getName() + " " + e));
        Thread d = new Thread(() -> {
            throw new Error("in D");
        }, "D");
        d.start();
        d.join();
        ThreadGroup hg = new ThreadGroup("HG") {
            public void uncaughtException(Thread x, Throwable e) {
                System.out.println("group " + x.getName() + " " + e);
            }
        };
        Thread e = new Thread(hg, () -> {
            Object o = null;
            synchronized (Basics.class) {
                o.toString();
            }
        }, "E");
        e.start();
        e.join();
        synchronized (Basics.class) {
            System.out.println("lock free");
        }
        ThreadLocal<Integer> tl = ThreadLocal.withInitial(() -> 5);
        InheritableThreadLocal<String> itl = new InheritableThreadLocal<>() {
            protected String childValue(String p) {
                return p + "child";
            }
        };
        itl.set("p");
        tl.set(9);
        Thread f = new Thread(() -> System.out.println(tl.get() + " " + itl.get()));
        f.start();
        f.join();
        System.out.println(tl.get() + " " + itl.get());
        tl.remove();
        System.out.println(tl.get());
        Thread[] ts = new Thread[50];
        AtomicInteger n = new AtomicInteger();
        for (int i = 0; i < ts.length; i++) {
            ts[i] = new Thread(n::incrementAndGet);
            ts[i].start();
        }
        for (Thread x : ts) {
            x.join();
        }
        System.out.println(n);
        Thread own = new Thread() {
            public void run() {
                System.out.println("subclass " + isDaemon() + Thread.currentThread().equals(this));
            }
        };
        own.setDaemon(true);
        own.start();
        own.join(5000);
        t(() -> own.join(-1));
        t(() -> Thread.sleep(-1));
        t(() -> new Thread((String) null));
        long t0 = System.nanoTime();
        Thread.sleep(20);
        Thread.sleep(1, 500000);
        System.out.println(System.nanoTime() - t0 >= 20000000);
        Thread.yield();
        Thread.onSpinWait();
        System.out.println(new Thread(g, null, "stk", 1 << 20).getName() + " " + Thread.activeCount() + " " + (Thread.currentThread().getContextClassLoader() != null));
        Set<String> names = new TreeSet<>();
        for (Thread x : Thread.getAllStackTraces().keySet()) {
            names.add(x.getName());
        }
        System.out.println(names.contains("main") + " " + names.contains("Finalizer") + " " + names.contains("Reference Handler") + " " + names.contains("Signal Dispatcher"));
        Thread.setDefaultUncaughtExceptionHandler(null);
        System.out.println("end");
    }
}
