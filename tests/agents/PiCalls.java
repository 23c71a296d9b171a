// SPDX-License-Identifier: Apache-2.0
// JVMPI function by function and event by event. Each line is the numbers of statements of the check list (statements 94, 176 too).
// @only pellucid
// @xrun pi_calls:a=b,net=host:1234
// @expect-exit 7
// @quick
import java.io.IOException;
import java.net.ServerSocket;

public class PiCalls {
    static native void requests(Object object, int[] array, Thread thread);

    static native long address(Object o);

    static native void disable();

    static native void enable();

    static native void collect();

    static native void say(String numbers, boolean good);

    static native int status(String name);

    static native void suspend(long[] counter);

    static native void freeze(boolean on);

    static native void system();

    static native void rawMonitors();

    static native void watchOn(int from, int to, Object monitor);

    static native void watchOff(int from, int to);

    static native void methodsSeen();

    static native void receiverSeen(Object receiver);

    static native void waitsSeen(Object object);

    static native void contendedSeen();

    static native void references(Object object);

    static native void hook(boolean on);

    static native void classSeen(Class<?> late, int line);

    static native void quit();

    static native void exit(int code);

    static final Object lock = new Object();
    static final long[] counter = new long[1];
    static volatile boolean spinning = true;
    static volatile Object sink;

    static class Late implements Runnable {
        static String TEXT = "before";
        int a;
        Object b;

        int one() {
            int x = a + 1;
            return x;
        }

        public void run() {
        }
    }

    int depth;

    int callOne(int n) {
        try {
            if (n == 0)
                throw new IllegalStateException();
            return callOne(n - 1);
        } finally {
            depth++;
        }
    }

    void plain() {
    }

    static void spin() {
        while (spinning)
            counter[0]++;
    }

    static Thread start(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            // as wanted
        }
    }

    static void allocate(int count) {
        for (int i = 0; i < count; i++)
            sink = new byte[1000];
    }

    static void collections() throws Exception {
        Object kept = new Object();
        collect();
        disable();
        long before = address(kept);
        Thread other = start("allocator", () -> allocate(40000));
        allocate(40000);
        other.join();
        say("71", before == address(kept));
        enable();
        allocate(40000);
        collect();
        System.gc();
    }

    static void states() throws Exception {
        Thread sleeper = start("sleeper", () -> sleep(100000));
        Thread waiter = start("waiter", () -> {
            synchronized (counter) {
                try {
                    counter.wait();
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
        Thread blocked = null;
        synchronized (lock) {
            blocked = start("blocked", () -> {
                synchronized (lock) {
                    sink = null;
                }
            });
            while (sleeper.getState() != Thread.State.TIMED_WAITING || waiter.getState() != Thread.State.WAITING
                    || blocked.getState() != Thread.State.BLOCKED)
                sleep(5);
            say("102 104", status("sleeper") == 3 && status("waiter") == 3 && status("blocked") == 2 && status("main") == 1);
        }
        blocked.join();
        Thread.currentThread().interrupt();
        say("102 105", status("main") == 0x4001);
        Thread.interrupted();
    }

    static class Slow {
        static {
            synchronized (lock) { // held by the test
                sink = lock;
            }
        }
        static void use() {
        }
    }

    static boolean comesTo(String name, int status) {
        boolean there = false;
        for (int i = 0; i < 4000 && !(there = status(name) == status); i++)
            sleep(5);
        return there;
    }

    // Waits in the VM, which say RUNNABLE in Java; what waits in the kernel runs.
    static void waitsInTheVm() throws Exception {
        say("104", comesTo("Reference Handler", 3) && comesTo("Signal Dispatcher", 3));
        Thread first, second;
        synchronized (lock) {
            first = start("initializes", Slow::use);
            say("104", comesTo("initializes", 2));
            second = start("waits for a class", Slow::use);
            say("104", comesTo("waits for a class", 3) && second.getState() == Thread.State.RUNNABLE);
        }
        first.join();
        second.join();
        try (ServerSocket nobody = new ServerSocket(0)) {
            Thread acceptor = start("accepts", () -> {
                try {
                    nobody.accept();
                } catch (IOException closed) {
                    sink = closed;
                }
            });
            while (acceptor.getStackTrace().length == 0 || !acceptor.getStackTrace()[0].isNativeMethod())
                sleep(5);
            say("104", status("accepts") == 1);
        }
    }

    @SuppressWarnings("removal")
    static void suspension() {
        Thread spinner = start("spinner", PiCalls::spin);
        while (counter[0] == 0)
            sleep(1);
        suspend(counter);
        freeze(true);
        spinner.resume();
        long at = counter[0];
        sleep(20);
        say("99", at == counter[0]);
        freeze(false);
        spinner.suspend();
        say("103", (status("spinner") & 0x8000) != 0);
        freeze(true);
        freeze(false);
        at = counter[0];
        sleep(20);
        say("100", at == counter[0]);
        spinner.resume();
        system();
        spinning = false;
    }

    static void methods() {
        PiCalls one = new PiCalls();
        boolean thrown = false;
        watchOn(1, 3, null);
        try {
            one.callOne(3);
        } catch (IllegalStateException e) {
            thrown = true;
        }
        watchOff(1, 3);
        methodsSeen();
        say("140", thrown && one.depth == 4);
    }

    static void receiver() {
        PiCalls one = new PiCalls();
        watchOn(2, 2, null);
        one.plain();
        receiverSeen(one);
        watchOff(2, 2);
        watchOn(2, 2, null);
        one.hashCode(); // a native
        receiverSeen(one);
        watchOff(2, 2);
    }

    static void monitors() throws Exception {
        watchOn(57, 58, null);
        synchronized (lock) {
            lock.wait(5);
        }
        Thread.sleep(3);
        waitsSeen(lock);
        watchOff(57, 58);
        watchOn(54, 56, lock);
        Thread contender;
        synchronized (lock) {
            contender = start("contender", () -> {
                synchronized (lock) {
                    sink = null;
                }
            });
            while (contender.getState() != Thread.State.BLOCKED)
                sleep(5);
        }
        contender.join();
        contendedSeen();
        watchOff(54, 56);
    }

    static void classes() throws Exception {
        hook(true);
        Late late = new Late();
        hook(false);
        say("125 126 127 128 129", Late.TEXT.equals("after!"));
        classSeen(late.getClass(), 66);
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("pi_calls");
        requests(new Object(), new int[4], Thread.currentThread());
        collections();
        states();
        waitsInTheVm();
        suspension();
        rawMonitors();
        methods();
        receiver();
        monitors();
        references(lock);
        classes();
        quit();
        exit(7);
    }
}
