// SPDX-License-Identifier: Apache-2.0
// Thread.getState in each state, stack traces of other threads, getAllStackTraces of own frames, park blockers.
// @quick
import java.util.*;
import java.util.concurrent.locks.*;

public class States {
    static volatile boolean stop, entered;
    static final Object lock = new Object();

    static void spin() {
        while (!stop) {
            Thread.onSpinWait();
        }
    }
    static void block() {
        // One line: a thread that is blocked by monitorenter stands at that instruction here, behind it on HotSpot.
        synchronized (lock) { entered = true; }
    }
    static int recurse(int depth) {
        if (depth > 0)
            return recurse(depth - 1) + 1;
        waitForever();
        return 0;
    }
    static void waitForever() {
        synchronized (States.class) {
            try {
                States.class.wait();
            } catch (InterruptedException e) {
                return;
            }
        }
    }
    static void timed() {
        try {
            Thread.sleep(1000000);
        } catch (InterruptedException e) {
            return;
        }
    }
    static void parked() {
        while (!stop) {
            LockSupport.park("blocker");
        }
    }
    static void timedPark() {
        while (!stop) {
            LockSupport.parkNanos(1000000000000L);
        }
    }
    static String own(StackTraceElement[] st) {
        StringBuilder sb = new StringBuilder();
        for (StackTraceElement e : st) {
            if (e.getClassName().equals("States") && !e.getMethodName().startsWith("lambda")) {
                sb.append(e.getMethodName()).append(e.getMethodName().equals("spin") ? "" : ":" + e.getLineNumber()).append(' ');
            }
        }
        return sb.toString();
    }
    static void until(Thread t, Thread.State s) throws Exception {
        for (int i = 0; i < 5000 && t.getState() != s; i++) {
            Thread.sleep(1);
        }
        if (s == Thread.State.RUNNABLE) {
            while (own(t.getStackTrace()).isEmpty()) {
                Thread.sleep(1);
            }
        }
        System.out.println(t.getName() + " " + t.getState() + " " + own(t.getStackTrace()) + LockSupport.getBlocker(t));
    }

    public static void main(String[] args) throws Exception {
        Thread[] ts = {new Thread(States::spin, "spin"), new Thread(States::block, "block"), new Thread(States::waitForever, "wait"),
            new Thread(States::timed, "timed"), new Thread(States::parked, "parked"), new Thread(States::timedPark, "timedPark")};
        Thread.State[] want = {Thread.State.RUNNABLE, Thread.State.BLOCKED, Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.WAITING, Thread.State.TIMED_WAITING};
        synchronized (lock) {
            for (Thread t : ts) {
                System.out.print(t.getState() + " ");
                t.start();
            }
            System.out.println();
            for (int i = 0; i < ts.length; i++) {
                until(ts[i], want[i]);
            }
            Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
            TreeMap<String, String> m = new TreeMap<>();
            all.forEach((t, st) -> {
                if (!own(st).isEmpty()) {
                    m.put(t.getName(), own(st));
                }
            });
            System.out.println(m);
        }
        Thread deep = new Thread(() -> recurse(3000), "deep");
        deep.start();
        until(deep, Thread.State.WAITING);
        System.out.println(deep.getStackTrace().length > 3000);
        System.out.println(Thread.getAllStackTraces().get(deep).length > 3000);
        deep.interrupt();
        stop = true;
        for (Thread t : ts) {
            LockSupport.unpark(t);
            t.interrupt();
            t.join();
            System.out.print(t.getState() + " " + t.getStackTrace().length + " ");
        }
        System.out.println();
        LockSupport.unpark(Thread.currentThread());
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park();
        System.out.println("permit used");
        LockSupport.parkNanos(1000000);
        LockSupport.parkUntil(System.currentTimeMillis() + 5);
        System.out.println("timed parks end");
    }
}
