// SPDX-License-Identifier: Apache-2.0
// An exception out of a thread other than main: its trace on stderr, exit code 0, user threads outlive main, daemons do not.
// @quick
// @stderr
public class UncaughtThread {
    static void inner() {
        throw new ArithmeticException("from worker");
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> inner(), "worker-7");
        t.start();
        t.join();
        Thread d = new Thread(() -> {
            try {
                Thread.sleep(100000);
            } catch (InterruptedException e) {
                throw new Error(e);
            }
        });
        d.setDaemon(true);
        d.start();
        Thread main = Thread.currentThread();
        new Thread(() -> {
            try {
                main.join();
            } catch (InterruptedException e) {
                throw new Error(e);
            }
            System.out.println("after main " + main.getState());
        }).start();
        System.out.println("main ends");
    }
}
