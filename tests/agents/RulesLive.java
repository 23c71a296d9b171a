// SPDX-License-Identifier: Apache-2.0
// Rules of threads, stacks, monitors, classes and the general functions, by number.
// @agent ti_rules_live
// @quick
import java.util.concurrent.locks.LockSupport;

public class RulesLive {
    static native void expectState(String number, Thread t, int state);

    static native int javaState(Thread t);

    static native int suspend0(Thread t);

    static native int resume0(Thread t);

    static native int stop0(Thread t, Throwable e);

    static native int interrupt0(Thread t);

    static native void lists(Thread running, Thread dead, Object other);

    static native void threadInfo(Thread unstarted, Thread dead);

    static native void agentThread(Thread t);

    static native void groups(ThreadGroup main, Thread unstarted);

    static native void monitors(Object outer, Object byJni);

    static native void contended(String number, Thread t, Object monitor);

    static native void usage(Object o, Thread owner, int entries, int waiters, int notifyWaiters);

    static native void stack(Thread unstarted, Thread dead);

    static native void classes(Class<?> primitive, Class<?> array, Class<?> unprepared, Object instance);

    static native void methods();

    static native void modules(Module unnamed, Object notLoader);

    static native void objects(Object a, Object b);

    static native void interception();

    static native void general();

    static int watched;

    void wide(long a, double b, int c) {
    }

    static class Unprepared {
        static int x;
    }

    static final Object LOCK = new Object();
    static volatile boolean done;
    static volatile int spins;
    static volatile Throwable stopped;

    static void spin() {
        try {
            while (!done)
                spins++;
        } catch (Throwable e) {
            stopped = e;
        }
    }

    static Thread in(Thread.State state, Runnable body) throws Exception {
        Thread t = new Thread(body);
        t.setDaemon(true);
        t.start();
        while (t.getState() != state)
            Thread.sleep(1);
        return t;
    }

    interface Body {
        void run() throws Exception;
    }

    static Runnable of(Body b) {
        return () -> {
            try {
                b.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        };
    }

    static void java(String number, Thread t) {
        int[] constants = {0, 5, 0x401, 0x91, 0xA1, 2};
        System.out.println(number + (javaState(t) == constants[t.getState().ordinal()] ? " ok" : " FAILS " + javaState(t)));
    }

    static void states(Thread unstarted, Thread dead) throws Exception {
        expectState("G1 (new)", unstarted, 0);
        expectState("G1 (terminated)", dead, 2);
        Thread sleeping = in(Thread.State.TIMED_WAITING, of(() -> Thread.sleep(100_000)));
        expectState("G5 (sleeping)", sleeping, 0xE1);
        Thread waiting = in(Thread.State.WAITING, of(() -> {
            synchronized (LOCK) {
                LOCK.wait();
            }
        }));
        expectState("G4 (waiting)", waiting, 0x191);
        Thread timed = in(Thread.State.TIMED_WAITING, of(() -> {
            synchronized (LOCK) {
                LOCK.wait(100_000);
            }
        }));
        expectState("G3 (waiting timed)", timed, 0x1A1);
        Thread parked = in(Thread.State.WAITING, () -> {
            while (!done)
                LockSupport.park();
        });
        expectState("G4 (parked)", parked, 0x291);
        Thread parkedTimed = in(Thread.State.TIMED_WAITING, () -> LockSupport.parkNanos(100_000_000_000L));
        expectState("G3 (parked timed)", parkedTimed, 0x2A1);
        Thread blocked;
        synchronized (LOCK) {
            blocked = in(Thread.State.BLOCKED, () -> {
                synchronized (LOCK) {
                }
            });
            expectState("G2 (blocked)", blocked, 0x401);
            java("G10", blocked);
            contended("G21 (blocked)", blocked, LOCK);
            usage(LOCK, Thread.currentThread(), 1, 3, 2);
            LOCK.notifyAll();
            while (waiting.getState() != Thread.State.BLOCKED)
                Thread.sleep(1);
            expectState("G7", waiting, 0x401);
            contended("G21 (back)", waiting, LOCK);
        }
        blocked.join();
        waiting.join();
        for (Thread t : new Thread[] {unstarted, dead, sleeping, parked, parkedTimed, Thread.currentThread()})
            java("G10", t);
        contended("G21 (none)", sleeping, null);
        suspend0(sleeping);
        expectState("G6 (suspended)", sleeping, 0x1000E1);
        resume0(sleeping);
        interrupt0(sleeping);
        sleeping.join();
    }

    static void running(Thread dead) throws Exception {
        Thread t = new Thread(RulesLive::spin);
        t.start();
        while (spins == 0)
            Thread.sleep(1);
        expectState("G2 (running)", t, 5);
        lists(t, dead, "no thread");
        suspend0(t);
        int before = spins;
        Thread.sleep(50);
        System.out.println("G13 " + (before == spins ? "ok" : "FAILS"));
        resume0(t);
        interrupt0(t);
        expectState("G6 (interrupted)", t, 0x200005);
        stop0(t, new IllegalMonitorStateException("stopped"));
        t.join();
        System.out.println("G18 " + (stopped instanceof IllegalMonitorStateException ? "ok" : "FAILS " + stopped));
        System.out.println("C8 " + (stop0(null, new Error()) == 10 && resume0(null) == 10 && interrupt0(null) == 10 ? "ok" : "FAILS"));
    }

    static void nested(Object outer) {
        inner(outer);
    }

    static void inner(Object outer) {
        monitors(outer, new Object());
    }

    public static void main(String[] args) throws Exception {
        Thread unstarted = new Thread("unstarted");
        Thread dead = new Thread("dead");
        dead.start();
        dead.join();
        states(unstarted, dead);
        running(dead);
        threadInfo(unstarted, dead);
        agentThread(new Thread("agent"));
        groups(Thread.currentThread().getThreadGroup(), unstarted);
        Object outer = new Object();
        synchronized (outer) {
            inner(outer);
        }
        stack(unstarted, dead);
        classes(int.class, int[][].class, Class.forName("RulesLive$Unprepared", false, RulesLive.class.getClassLoader()), "x");
        methods();
        modules(RulesLive.class.getModule(), "no loader");
        objects(new Object(), new Object());
        interception();
        general();
        done = true;
    }
}
