#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The thread dump of SIGQUIT: states, frames, locks, deadlocks.
# @mask 0x[0-9a-f]+
set -eu
cat >Dump.java <<'TEXT'
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
public class Dump {
    static final CountDownLatch up = new CountDownLatch(7);
    static volatile boolean running;
    static Thread start(String name, Callable<?> body) {
        Thread t = new Thread(() -> {
            try {
                body.call();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, name);
        t.setDaemon(true);
        t.start();
        return t;
    }
    static void await(Thread t, Thread.State state) throws Exception {
        while (t.getState() != state)
            Thread.sleep(1);
    }
    static synchronized void held() throws Exception {
        Thread.sleep(60000);
    }
    public static void main(String[] args) throws Exception {
        Object x = new Object(), y = new Object(), z = new Object();
        CyclicBarrier both = new CyclicBarrier(2), two = new CyclicBarrier(2);
        ReentrantLock l = new ReentrantLock(), m = new ReentrantLock();
        Thread[] blocked = {
            start("monitor 1", () -> { synchronized (x) { both.await(); up.countDown(); synchronized (y) { return null; } } }),
            start("monitor 2", () -> { synchronized (y) { both.await(); up.countDown(); synchronized (x) { return null; } } })};
        Thread[] waiting = {
            start("lock 1", () -> { l.lock(); two.await(); up.countDown(); m.lock(); return null; }),
            start("lock 2", () -> { m.lock(); two.await(); up.countDown(); l.lock(); return null; }),
            start("waiter", () -> { synchronized (z) { up.countDown(); z.wait(); return null; } }),
            start("parker", () -> { up.countDown(); LockSupport.park(z); return null; })};
        start("runner", () -> { up.countDown(); for (;;) running = true; });
        up.await();
        Thread main = Thread.currentThread();
        start("watcher", () -> {
            for (Thread t : blocked)
                await(t, Thread.State.BLOCKED);
            for (Thread t : waiting)
                await(t, Thread.State.WAITING);
            await(main, Thread.State.TIMED_WAITING);
            for (Thread t : Thread.getAllStackTraces().keySet())
                if (t.getName().equals("Finalizer"))
                    await(t, Thread.State.WAITING);
            while (!running)
                Thread.sleep(1);
            System.out.println("ready");
            return null;
        });
        synchronized (z) {
            held();
        }
    }
}
TEXT
javac -g Dump.java
java -cp . Dump >out.txt 2>&1 &
pid=$!
for _ in $(seq 600); do
    if grep -q ready out.txt; then
        break
    fi
    sleep 0.05
done
kill -QUIT $pid
for _ in $(seq 600); do
    if grep -q '^Heap' out.txt; then
        break
    fi
    sleep 0.05
done
kill -TERM $pid
code=0
wait $pid || code=$?
echo "exit code $code"
for name in main "monitor 1" "monitor 2" "lock 1" "lock 2" waiter parker runner Finalizer; do
    sed -n "/^\"$name\" #/,/^\$/p" out.txt | sed 's/ cpu=.* nid=[^ ]*//; s/ #[0-9]*//'
done
sed -n '/^Found one/,/^Found [0-9]/p' out.txt | sed 's/monitor 0x[0-9a-f]*/monitor/'
