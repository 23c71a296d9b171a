// SPDX-License-Identifier: Apache-2.0
// Threads as JVM TI sees them: information, states, stacks, groups; suspended, interrupted, stopped; agent threads and storage.
// @agent ti_threads
// @mask (?<=\.)0x[0-9a-f]+
// @quick
import java.util.concurrent.locks.LockSupport;

public class Threads {
    static native void tell(Thread t);

    static native void stack();

    static native void all();

    static native int suspend(Thread t);

    static native int resume(Thread t);

    static native void suspendList(Thread one, Thread two, Thread unstarted);

    static native int interrupt(Thread t);

    static native int stop(Thread t, Throwable exception);

    static native void agentThread(Thread t);

    static native void storage(Thread other, Thread dead);

    static final Object lock = new Object(), door = new Object();
    static volatile boolean end;
    static volatile long spins;

    static void sleeper() {
        try {
            Thread.sleep(1000000);
        } catch (InterruptedException e) {
            System.out.println("interrupted: " + e.getMessage());
        }
    }

    static void waiter(long time) {
        synchronized (lock) {
            try {
                lock.wait(time);
            } catch (InterruptedException e) {
                System.out.println("waiter interrupted");
            }
        }
    }

    static void blocked() {
        synchronized (door) {
            System.out.println("through the door");
        }
    }

    static void spin() {
        try {
            while (!end)
                spins++;
        } catch (IllegalStateException e) {
            System.out.println("stopped by " + e.getMessage());
        }
    }

    static Thread start(String name, Runnable body, Thread.State state) throws Exception {
        Thread t = new Thread(body, "worker " + name);
        t.setDaemon(name.startsWith("d"));
        t.start();
        while (t.getState() != state)
            Thread.sleep(1);
        return t;
    }

    // That the spinner goes on is waited for; that it does not, is looked at for a while.
    static boolean spinning(boolean expected) throws Exception {
        long before = spins;
        for (int i = 0; (expected || i < 20) && spins == before; i++)
            Thread.sleep(5);
        return spins != before;
    }

    static void deep(int n) {
        if (n == 0)
            stack();
        else
            deep(n - 1);
    }

    interface Request {
        int ask(Thread t);
    }

    static volatile boolean asked;

    // A thread that ends while requests to it go on: what they give besides 0 and THREAD_NOT_ALIVE.
    static void endings(String what, Request request) throws Exception {
        for (int round = 0; round < 100; round++) {
            asked = false;
            Thread t = new Thread(() -> {
                while (!asked)
                    Thread.onSpinWait();
            });
            t.start();
            int error;
            while ((error = request.ask(t)) == 0)
                asked = true;
            if (error != 15)
                System.out.println(what + " of an ending thread: " + error);
            t.join();
        }
        System.out.println(what + " of ending threads done");
    }

    static int suspendAndResume(Thread t) {
        int error = suspend(t);
        int resumed = error == 0 ? resume(t) : 0;
        return resumed == 0 ? error : 1000 + resumed;
    }

    public static void main(String[] args) throws Exception {
        tell(Thread.currentThread());
        deep(1);
        Thread sleeper = start("dsleeper", Threads::sleeper, Thread.State.TIMED_WAITING);
        tell(sleeper);
        Thread waiter = start("waiter", () -> waiter(0), Thread.State.WAITING);
        tell(waiter);
        Thread timed = start("timed", () -> waiter(1000000), Thread.State.TIMED_WAITING);
        tell(timed);
        Thread parked = start("parked", LockSupport::park, Thread.State.WAITING);
        Thread unstarted = new Thread(() -> { }, "worker unstarted");
        tell(unstarted);
        Thread blocked;
        synchronized (door) {
            blocked = start("blocked", Threads::blocked, Thread.State.BLOCKED);
            tell(blocked);
            all();
        }
        blocked.join();
        tell(blocked);
        Thread spinner = start("spinner", Threads::spin, Thread.State.RUNNABLE);
        System.out.println("spins " + spinning(true));
        System.out.println("suspend " + suspend(spinner) + " again " + suspend(spinner));
        System.out.println("spins " + spinning(false));
        tell(spinner);
        System.out.println("resume " + resume(spinner) + " again " + resume(spinner));
        System.out.println("spins " + spinning(true));
        suspendList(waiter, timed, unstarted);
        int stopped = stop(spinner, new IllegalStateException("agent"));
        spinner.join();
        System.out.println("stop " + stopped);
        int interrupted = interrupt(sleeper);
        sleeper.join();
        System.out.println("interrupt " + interrupted);
        System.out.println("suspend " + suspend(waiter));
        tell(waiter);
        System.out.println("interrupt " + interrupt(waiter));
        tell(waiter);
        int resumed = resume(waiter);
        waiter.join();
        System.out.println("resume " + resumed);
        storage(timed, sleeper);
        Thread agent = new Thread(new ThreadGroup("agents"), "worker agent");
        agentThread(agent);
        agent.join();
        synchronized (lock) {
            lock.notifyAll();
        }
        LockSupport.unpark(parked);
        timed.join();
        parked.join();
        endings("suspension", Threads::suspendAndResume);
        endings("interrupt", Threads::interrupt);
        System.out.println("end");
    }
}
