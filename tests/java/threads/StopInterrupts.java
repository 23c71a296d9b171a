// SPDX-License-Identifier: Apache-2.0
// Thread.stop sets the interrupt status of another thread; what sleeps or waits clears it on the way out.
// @quick
import java.util.concurrent.locks.LockSupport;

@SuppressWarnings({"deprecation", "removal"})
public class StopInterrupts {
    interface Body {
        void run() throws Exception;
    }

    static volatile boolean begun;
    static final Object lock = new Object();

    static Thread start(String name, Body body) {
        begun = false;
        Thread t = new Thread(() -> {
            try {
                begun = true;
                body.run();
            } catch (ThreadDeath d) {
                System.out.println(name + ": stopped, interrupted " + Thread.currentThread().isInterrupted());
            } catch (Exception e) {
                System.out.println(name + ": " + e);
            }
        });
        t.start();
        return t;
    }

    static void await(Thread t, Thread.State state) throws Exception {
        while (!begun || t.getState() != state)
            Thread.sleep(1);
    }

    static void stop(String name, Thread.State in, Body body) throws Exception {
        Thread t = start(name, body);
        await(t, in);
        t.stop();
        t.join();
    }

    public static void main(String[] args) throws Exception {
        try {
            Thread.currentThread().stop();
        } catch (ThreadDeath d) {
            System.out.println("itself: interrupted " + Thread.interrupted());
        }
        stop("running", Thread.State.RUNNABLE, () -> {
            while (true) { }
        });
        stop("sleeping", Thread.State.TIMED_WAITING, () -> Thread.sleep(1_000_000));
        stop("waiting", Thread.State.WAITING, () -> {
            synchronized (lock) {
                lock.wait();
            }
        });
        stop("parked", Thread.State.WAITING, () -> {
            while (true)
                LockSupport.park();
        });
        Thread blocked;
        synchronized (lock) {
            blocked = start("blocked", () -> {
                synchronized (lock) {
                    System.out.println("entered");
                }
            });
            await(blocked, Thread.State.BLOCKED);
            blocked.stop();
            System.out.println("while blocked: " + blocked.getState() + ", interrupted " + blocked.isInterrupted());
        }
        blocked.join();
    }
}
