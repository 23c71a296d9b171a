// SPDX-License-Identifier: Apache-2.0
// A callback of MonitorWaited may wait for another monitor: nobody who waits for the first is forgotten. Behind one of
// MonitorContendedEnter that did, the thread is still said to be blocked on the first (JVM TI, Get Current Contended Monitor; HotSpot says null).
// @agent ti_waited_blocks
// @only pellucid
// @quick
public class WaitedBlocks {
    static native void watch(int event, Object object, Object through);
    static native void ignore(int event);
    static native int blocked();
    static native int passed();
    static native Object contendedOf(Thread thread);

    static final int MONITOR_WAITED = 74, MONITOR_CONTENDED_ENTER = 75, THREADS = 8, ROUNDS = 10;

    static int waiting, back;

    static void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean())
            Thread.sleep(1);
    }

    static void waitOnce(Object first) {
        synchronized (first) {
            waiting++;
            try {
                first.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            back++;
        }
    }

    static int inside(Object first, boolean waiters) {
        synchronized (first) {
            return waiters ? waiting : back;
        }
    }

    static void waited() throws InterruptedException {
        Object first = new Object(), through = new Object();
        Thread[] threads = new Thread[THREADS];
        watch(MONITOR_WAITED, first, through);
        for (int i = 0; i < THREADS; i++)
            (threads[i] = new Thread(() -> waitOnce(first))).start();
        await(() -> inside(first, true) == THREADS);
        synchronized (through) {
            synchronized (first) {
                first.notifyAll();
            }
            await(() -> blocked() == THREADS); // each that comes to its callback lets the next one wake
        }
        for (Thread t : threads)
            t.join();
        ignore(MONITOR_WAITED);
        waiting = 0;
    }

    static void contended() throws InterruptedException {
        Object first = new Object(), through = new Object();
        Thread thread = new Thread(() -> inside(first, true));
        watch(MONITOR_CONTENDED_ENTER, first, through);
        synchronized (first) {
            synchronized (through) {
                thread.start();
                await(() -> blocked() == 1);
                Thread.sleep(20);
            }
            await(() -> passed() == 1);
            await(() -> contendedOf(thread) != null);
            System.out.println("blocked on the first: " + (contendedOf(thread) == first));
        }
        thread.join();
        ignore(MONITOR_CONTENDED_ENTER);
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < ROUNDS; i++)
            waited();
        System.out.println("back: " + back);
        contended();
    }
}
