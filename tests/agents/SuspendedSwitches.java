// SPDX-License-Identifier: Apache-2.0
// A thread that switches events, and stops the world for that, is suspended by one that switches events, too: it does not wait for ever.
// @agent ti_suspended_switches
// @quick
public class SuspendedSwitches {
    static native void switchCalls();
    static native boolean suspendAndSwitch(Thread thread, int millis);

    static volatile int sum;
    static volatile boolean done;

    static int work(int i) {
        return i * 31;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread worker = new Thread(() -> {
            for (int i = 0; !done; i++)
                sum += work(i);
        });
        Thread switching = new Thread(SuspendedSwitches::switchCalls);
        worker.start();
        switching.start();
        System.out.println("often: " + suspendAndSwitch(switching, 1000));
        done = true;
        switching.join();
        worker.join();
    }
}
