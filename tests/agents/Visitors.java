// SPDX-License-Identifier: Apache-2.0
// A process that was started without agents. Two agents come and stay, each with its own breakpoint, watches, steps, samples and tags;
// a tracer, a watch, a stepper and a tagger come in turn and go. The program goes on right, and nobody sees what others asked for.
// Then one more, for frames that were entered before it came. HotSpot has no such capabilities once it runs.
// @only pellucid
// @quick
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import javax.management.ObjectName;

public class Visitors {
    static native void setProgram();

    // Breakpoint hits, accesses, changes, samples, steps, foreign events, entries, exits, whether the tag is its own.
    static native long[] seen(String name);

    static native long tagged(String name, Object o);

    static native void dispose(String name);

    static native void inspect(String name, Thread t);

    static Object shared = new Object();
    static Thread first, second;
    static int alpha, beta, gamma;
    static Object last;
    static final CountDownLatch END = new CountDownLatch(1);

    static class Item {
        final int value;

        Item(int value) {
            this.value = value;
        }
    }

    static int workA(int n) {
        alpha = n;
        gamma += n;
        return alpha + 1;
    }

    static int workB(int n) {
        beta += n;
        return beta;
    }

    // 10 calls of workA, 20 of workB, 5 items.
    static int work() {
        int sum = 0;
        beta = 0;
        for (int i = 0; i < 10; i++)
            sum += workA(i) + workB(i) + workB(1);
        for (int i = 0; i < 5; i++) {
            Item item = new Item(i);
            last = item;
            sum += item.value;
        }
        return sum;
    }

    // Works when told to, on a thread of its own.
    static class Worker extends Thread {
        private int result = -1;
        private boolean due;

        Worker(String name) {
            super(name);
            setDaemon(true);
        }

        @Override
        public synchronized void run() {
            try {
                for (;;) {
                    while (!due)
                        wait();
                    due = false;
                    result = work();
                    notifyAll();
                }
            } catch (InterruptedException e) {
                result = -2;
            }
        }

        synchronized int once() throws InterruptedException {
            result = -1;
            due = true;
            notifyAll();
            while (result == -1)
                wait();
            return result;
        }
    }

    static void load(String options) throws Exception {
        String library = System.getProperty("java.library.path") + "/libti_visitors.so";
        Object said = ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
            "jvmtiAgentLoad", new Object[] {new String[] {library, '"' + options + '"'}}, new String[] {String[].class.getName()});
        if (!said.toString().contains("return code: 0"))
            System.out.println(said);
    }

    // What one run on each thread shows to an agent that stays, less what it saw before.
    static void round(String when) throws Exception {
        long[][] before = {seen("one"), seen("two")};
        int a = ((Worker) first).once(), b = ((Worker) second).once();
        System.out.println(when + ": " + a + " " + b);
        for (int i = 0; i < 2; i++) {
            long[] now = seen(i == 0 ? "one" : "two");
            System.out.println("  breaks " + (now[0] - before[i][0]) + " accesses " + (now[1] - before[i][1]) + " changes " + (now[2] - before[i][2])
                + " samples " + (i == 0 ? now[3] - before[i][3] : "rare") + " steps " + (now[4] > before[i][4]) + " foreign " + now[5]
                + " entries " + now[6] + " own tag " + now[8]);
        }
    }

    static void visitor(String what, int index) throws Exception {
        load("guest " + what);
        round("with " + what);
        long[] seen = seen("guest");
        System.out.println("  guest: " + (index >= 0 && seen[index] > 0 ? "has seen it" : "has seen nothing") + ", foreign " + seen[5] + ", breaks " + seen[0] + ", samples " + seen[3] + ", tags " + (tagged("guest", shared) > 0));
        dispose("guest");
        round("after " + what);
    }

    static int waiting(int n, Object monitor, CountDownLatch there) throws InterruptedException {
        synchronized (monitor) {
            if (n == 1) {
                there.countDown();
                END.await();
            } else {
                waiting(n - 1, new StringBuilder(), there);
            }
        }
        return n;
    }

    static void late() throws Exception {
        CountDownLatch there = new CountDownLatch(1);
        Thread t = new Thread(() -> {
            try {
                System.out.println("waiting gives " + waiting(2, new Item(1), there));
            } catch (InterruptedException e) {
                System.out.println(e);
            }
        }, "waiter");
        t.start();
        there.await();
        load("late nothing");
        inspect("late", t);
        END.countDown();
        t.join();
        dispose("late");
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("ti_visitors");
        setProgram();
        first = new Worker("first");
        second = new Worker("second");
        first.start();
        second.start();
        load("one hold workA alpha first 0");
        load("two hold workB beta second 100000000");
        round("two stay");
        visitor("trace", 7);
        visitor("watch gamma", 2);
        visitor("step first", 4);
        visitor("tag", -1);
        late();
        dispose("one");
        int sum = ((Worker) first).once();
        System.out.println("one has gone: " + sum);
        dispose("two");
        System.out.println("nobody is left: " + (((Worker) first).once() + ((Worker) second).once()));
    }
}
