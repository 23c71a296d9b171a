// SPDX-License-Identifier: Apache-2.0
// Interrupts in sleep, wait, join, park, lockInterruptibly, selectors and before them; the flag after each.
// @quick
import java.nio.channels.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

public class Interrupts {
    interface R {
        void run() throws Exception;
    }
    static void t(String w, R r) throws Exception {
        CountDownLatch up = new CountDownLatch(1);
        Thread x = new Thread(() -> {
            up.countDown();
            try {
                r.run();
                System.out.println(w + " returned, flag " + Thread.currentThread().isInterrupted());
            } catch (Exception e) {
                System.out.println(w + " " + e + " flag " + Thread.currentThread().isInterrupted());
            }
        });
        x.start();
        up.await();
        while (x.getState() == Thread.State.RUNNABLE && !w.startsWith("select")) {
            Thread.sleep(1);
        }
        Thread.sleep(5);
        x.interrupt();
        x.join();
    }

    // Out of the wait set, but not back in the monitor: the flag stays until then (JLS 17.2.1).
    static void beforeReturn(Object o) throws Exception {
        Thread x = new Thread(() -> {
            synchronized (o) {
                try {
                    o.wait();
                } catch (InterruptedException e) {
                    System.out.println("returned, flag " + Thread.currentThread().isInterrupted());
                }
            }
        });
        x.start();
        while (x.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        synchronized (o) {
            x.interrupt();
            while (x.getState() != Thread.State.BLOCKED) {
                Thread.sleep(1);
            }
            System.out.println("before the return, flag " + x.isInterrupted());
        }
        x.join();
    }

    public static void main(String[] args) throws Exception {
        Object o = new Object();
        beforeReturn(o);
        t("sleep", () -> Thread.sleep(100000));
        t("wait", () -> {
            synchronized (o) {
                o.wait();
            }
        });
        t("timed wait", () -> {
            synchronized (o) {
                o.wait(100000);
            }
        });
        Thread main = Thread.currentThread();
        t("join", () -> main.join());
        t("park", () -> LockSupport.park());
        t("parkNanos", () -> LockSupport.parkNanos(100000000000L));
        ReentrantLock l = new ReentrantLock();
        l.lock();
        t("lockInterruptibly", () -> l.lockInterruptibly());
        t("tryLock", () -> l.tryLock(100, TimeUnit.SECONDS));
        t("queue", () -> new LinkedBlockingQueue<>().take());
        t("latch", () -> new CountDownLatch(1).await());
        t("exchanger", () -> new Exchanger<String>().exchange("x"));
        Selector s = Selector.open();
        t("select", () -> System.out.println(s.select()));
        Pipe p = Pipe.open();
        t("select channel", () -> p.source().read(java.nio.ByteBuffer.allocate(1)));
        Thread.currentThread().interrupt();
        try {
            Thread.sleep(0);
        } catch (InterruptedException e) {
            System.out.println("pre " + e.getMessage() + Thread.interrupted());
        }
        Thread.currentThread().interrupt();
        System.out.println(Thread.currentThread().isInterrupted() + " " + Thread.interrupted() + " " + Thread.interrupted());
        Thread.currentThread().interrupt();
        LockSupport.park();
        System.out.println("park with flag " + Thread.interrupted());
        Thread.currentThread().interrupt();
        try {
            synchronized (o) {
                o.wait(10);
            }
        } catch (InterruptedException e) {
            System.out.println("wait with flag " + e.getMessage());
        }
        Thread done = new Thread(() -> {});
        done.interrupt();
        System.out.println(done.isInterrupted());
        done.start();
        done.join();
        done.interrupt();
        System.out.println(done.isInterrupted());
        Thread spin = new Thread(() -> {
            long n = 0;
            while (!Thread.currentThread().isInterrupted()) {
                n++;
            }
            System.out.println("spin " + (n >= 0));
        });
        spin.start();
        spin.interrupt();
        spin.join();
    }
}
