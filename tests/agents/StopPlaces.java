// SPDX-License-Identifier: Apache-2.0
// A thread that is stopped in a native method dies out of that one: no InterruptedException is made meanwhile.
// @agent ti_stopped
// @flags -Xint
// @mask Lambda.*[.]0x[0-9a-f]+
// @quick
import java.util.concurrent.locks.LockSupport;

@SuppressWarnings({"deprecation", "removal"})
public class StopPlaces {
    interface Body {
        void run() throws Exception;
    }

    static native void ask(boolean occurred); // until there is an exception

    static native boolean asks();

    static final Object lock = new Object();

    static void stop(String name, Thread.State in, Body body) throws Exception {
        Thread t = new Thread(() -> {
            try {
                body.run();
            } catch (ThreadDeath | Exception e) {
                System.out.println(name + ": " + e);
            }
        }, "stopped " + name);
        t.start();
        while (t.getState() != in || in == Thread.State.RUNNABLE && !asks())
            Thread.sleep(1);
        t.stop();
        t.join();
    }

    public static void main(String[] args) throws Exception {
        stop("asleep", Thread.State.TIMED_WAITING, () -> Thread.sleep(1_000_000));
        stop("waiting", Thread.State.WAITING, () -> {
            synchronized (lock) {
                lock.wait();
            }
        });
        stop("waiting for a time", Thread.State.TIMED_WAITING, () -> {
            synchronized (lock) {
                lock.wait(1_000_000);
            }
        });
        stop("parked", Thread.State.WAITING, () -> LockSupport.park());
        stop("parked for a time", Thread.State.TIMED_WAITING, () -> LockSupport.parkNanos(1_000_000_000_000L));
        stop("asking for an exception", Thread.State.RUNNABLE, () -> ask(true));
        stop("asking whether there is one", Thread.State.RUNNABLE, () -> ask(false));
    }
}
