// SPDX-License-Identifier: Apache-2.0
// JVMPI: on which thread events come, with what, in which order, and what a handler may do. Each line is the number of
// statements of the specification's check list.
// @only pellucid
// @xrun pi_events
// @quick
// @modes moving
import java.io.InputStream;

public class PiEvents {
    static final int METHOD_ENTRY = 1, OBJECT_ALLOC = 4, THREAD_START = 33, THREAD_END = 34, CLASS_LOAD_HOOK = 35, CLASS_LOAD = 42,
            CONTENDED_ENTER = 54, CONTENDED_ENTERED = 55, CONTENDED_EXIT = 56, WAIT = 57, WAITED = 58, GC_START = 60, GC_FINISH = 61;

    static native void begin();

    static native void on(int... types);

    static native void off();

    static native void deliverySeen();

    static native void meetingSeen();

    static native void collectWhenAsked();

    static native void holdNext(int how);

    static native void heldSeen();

    static native void requestWithLock(Object object, Class<?> of);

    static native void threadSeen(Thread thread);

    static native void attachOne();

    static native void nameSeen(Thread thread);

    static native void classSeen();

    static native void watchClass(Class<?> of);

    static native boolean isUnloaded();

    static native void unloadSeen();

    static native void uncontendedSeen();

    static native void keepIds(boolean keep);

    static native void reentrySeen(Object lock, boolean timed);

    static native void callsSeen();

    static native void end();

    static final Object lock = new Object();
    static volatile Object sink;

    static class Late {
    }

    static class Dropped {
    }

    static class Loader extends ClassLoader {
        Class<?> define(String name) throws Exception {
            try (InputStream in = PiEvents.class.getResourceAsStream(name + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            }
        }
    }

    static void meet() {
    }

    static void calls() {
    }

    static int answer() {
        return 42;
    }

    static Thread start(Runnable body, String name) {
        Thread t = new Thread(body, name);
        t.start();
        return t;
    }

    static void allocate() {
        for (int i = 0; i < 100; i++)
            sink = new int[i];
    }

    static void delivery() throws Exception {
        on(METHOD_ENTRY, OBJECT_ALLOC, THREAD_START, CLASS_LOAD, WAIT, WAITED, GC_START, GC_FINISH);
        Thread other = start(PiEvents::allocate, "allocator");
        allocate();
        other.join();
        System.gc();
        off();
        deliverySeen();
        on(METHOD_ENTRY);
        other = start(PiEvents::meet, "meeting");
        meet();
        other.join();
        off();
        meetingSeen();
    }

    static void handlers() throws Exception {
        Thread collector = start(PiEvents::collectWhenAsked, "collector");
        on(OBJECT_ALLOC);
        holdNext(1);
        sink = new Object();
        off();
        heldSeen();
        collector.join();
        on(OBJECT_ALLOC);
        Thread holder = start(() -> {
            holdNext(2);
            sink = new Object();
        }, "holder");
        requestWithLock(lock, PiEvents.class);
        holder.join();
        off();
        on(METHOD_ENTRY);
        calls();
        off();
        callsSeen();
    }

    static void threads() throws Exception {
        ThreadGroup inner = new ThreadGroup(new ThreadGroup("outer"), "inner");
        on(METHOD_ENTRY, THREAD_START, THREAD_END);
        Thread t = new Thread(inner, PiEvents::allocate, "n\0\uD83D\uDE00");
        t.start();
        t.join();
        off();
        threadSeen(t);
        on(THREAD_START, THREAD_END);
        attachOne();
        off();
        String name = Thread.currentThread().getName();
        Thread.currentThread().setName("named later");
        nameSeen(Thread.currentThread());
        Thread.currentThread().setName(name);
    }

    static void loadAndDrop() throws Exception {
        Class<?> dropped = new Loader().define("PiEvents$Dropped");
        watchClass(dropped);
    }

    static void classes() throws Exception {
        on(CLASS_LOAD_HOOK, CLASS_LOAD);
        new Late();
        off();
        classSeen();
        loadAndDrop();
        while (!isUnloaded()) { // it is told by another thread
            System.gc();
            Thread.sleep(1);
        }
        off();
        unloadSeen();
    }

    static void uncontended() {
        Object own = new Object();
        on(CONTENDED_ENTER, CONTENDED_ENTERED, CONTENDED_EXIT);
        for (int i = 0; i < 100; i++) {
            synchronized (own) {
                sink = own;
            }
        }
        off();
        uncontendedSeen();
    }

    // A thread comes back from its wait while this one has the monitor. False: it was back before that.
    static boolean reentry(long timeout) throws Exception {
        keepIds(true);
        on(THREAD_START, CONTENDED_ENTER, CONTENDED_ENTERED, WAIT, WAITED);
        Thread waiter = start(() -> {
            synchronized (lock) {
                try {
                    lock.wait(timeout);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }, "waiter");
        while (waiter.isAlive() && waiter.getState() != Thread.State.WAITING && waiter.getState() != Thread.State.TIMED_WAITING)
            Thread.sleep(1);
        boolean met;
        synchronized (lock) {
            if (timeout == 0)
                lock.notify();
            while (waiter.isAlive() && waiter.getState() != Thread.State.BLOCKED)
                Thread.sleep(1);
            met = waiter.isAlive();
        }
        waiter.join();
        if (met)
            reentrySeen(lock, timeout != 0);
        off();
        keepIds(false);
        return met;
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("pi_events");
        begin();
        delivery();
        handlers();
        threads();
        classes();
        uncontended();
        reentry(0);
        for (int timeout = 300; !reentry(timeout);)
            timeout *= 2;
        end();
    }
}
