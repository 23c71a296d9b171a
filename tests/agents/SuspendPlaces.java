// SPDX-License-Identifier: Apache-2.0
// Threads suspended in JNI critical sections, which they leave all the same, so that collections take place; as they begin and as
// they end; and just after they were started, alive from then on. HotSpot hangs where a suspended thread begins a nested section.
// @only pellucid
// @agent ti_suspend_places
// @quick
public class SuspendPlaces {
    static final int SUSPENDED = 0x100000;

    static native int resume(Thread t);

    static native int collect();

    static native int state(Thread t);

    static native int suspendInside(Thread t);

    static native void critical(int[] a, int[] b);

    static volatile boolean done;

    static void awaitSuspended(Thread t) throws InterruptedException {
        while ((state(t) & SUSPENDED) == 0)
            Thread.sleep(1);
    }

    static void sections() throws Exception {
        int[] a = new int[1], b = new int[1];
        Thread t = new Thread(() -> {
            critical(a, b);
            done = true;
        });
        t.start();
        int error = suspendInside(t);
        System.out.println("suspend " + error);
        System.out.println("collect " + collect() + ", " + a[0] + " " + b[0] + ", done " + done);
        System.out.println("resume " + resume(t));
        t.join();
        System.out.println("done " + done);
    }

    static void ownEvents(String name) throws Exception {
        Thread t = new Thread(() -> System.out.println("runs"), name);
        t.start();
        awaitSuspended(t);
        System.out.println(name + ": alive " + t.isAlive() + ", collect " + collect());
        int error = resume(t);
        t.join();
        System.out.println("resume " + error);
    }

    static void started() throws Exception {
        int unseen = 0;
        for (int i = 0; i < 200; i++) {
            Thread t = new Thread(() -> { });
            t.start();
            if (t.getState() == Thread.State.NEW || state(t) == 0)
                unseen++;
            t.join();
        }
        System.out.println("started but not alive: " + unseen);
    }

    public static void main(String[] args) throws Exception {
        sections();
        ownEvents("begins");
        ownEvents("ends");
        started();
    }
}
