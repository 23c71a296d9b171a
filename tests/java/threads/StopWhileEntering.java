// SPDX-License-Identifier: Apache-2.0
// A thread that is stopped while it waits to enter a monitor throws when it owns it, and gives it back.
// @quick
public class StopWhileEntering {
    static final Object lock = new Object();

    static void block() {
        synchronized (lock) {
            lock.notify();
        }
    }
    static synchronized void method() {
        StopWhileEntering.class.notify();
    }

    @SuppressWarnings("removal")
    static void stopWhileBlocked(String what, Object monitor, Runnable body) throws InterruptedException {
        Thread t = new Thread(() -> {
            try {
                body.run();
                System.out.println(what + " went on");
            } catch (Throwable e) {
                System.out.println(what + " " + e + " " + Thread.holdsLock(monitor));
            }
        });
        t.setDaemon(true);
        synchronized (monitor) {
            t.start();
            while (t.getState() != Thread.State.BLOCKED)
                Thread.sleep(1);
            t.stop();
            Thread.sleep(50);
        }
        t.join();
        Thread free = new Thread(() -> {
            synchronized (monitor) {
                System.out.println("free");
            }
        });
        free.setDaemon(true);
        free.start();
        free.join(20_000);
    }

    public static void main(String[] args) throws InterruptedException {
        stopWhileBlocked("block", lock, StopWhileEntering::block);
        stopWhileBlocked("method", StopWhileEntering.class, StopWhileEntering::method);
    }
}
