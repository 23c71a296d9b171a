// SPDX-License-Identifier: Apache-2.0
// Thread.stop of a running, a sleeping and an unstarted thread; suspend and resume.
// @quick
public class StopThread {
    static volatile int n;
    static volatile boolean in;

    @SuppressWarnings({"deprecation", "removal"})
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> {
            try {
                in = true;
                while (true) {
                    n++;
                }
            } catch (ThreadDeath d) {
                System.out.println("stopped " + d.getClass().getName());
                throw d;
            } finally {
                System.out.println("finally");
            }
        });
        t.start();
        while (!in) {
            Thread.sleep(1);
        }
        t.suspend();
        Thread.sleep(5);
        int a = n;
        Thread.sleep(20);
        System.out.println("suspended " + (a == n) + " " + t.getState());
        t.resume();
        while (a == n) {
            Thread.sleep(1);
        }
        t.stop();
        t.join();
        System.out.println(t.isAlive());
        Thread s = new Thread(() -> {
            try {
                in = false;
                Thread.sleep(100000);
            } catch (InterruptedException e) {
                System.out.println("wrong");
            } catch (ThreadDeath d) {
                System.out.println("sleep stopped");
            }
        });
        s.start();
        while (in || s.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        s.stop();
        s.join();
        Thread u = new Thread(() -> System.out.println("unstarted ran"));
        u.stop();
        u.start();
        u.join();
        try {
            Thread.currentThread().stop();
        } catch (ThreadDeath d) {
            System.out.println("self");
        }
    }
}
