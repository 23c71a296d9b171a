// SPDX-License-Identifier: Apache-2.0
// Many environments that come and go on two threads: each is new, none sees what an earlier one left, those that are disposed
// of in a callback among them; the memory of the disposed ones is used again.
// @agent ti_environments
// HotSpot keeps what it disposes of for a while of its own.
// @only pellucid
// @modes asan stress
// @not jit-* the compiler takes the memory that an environment had
public class Environments {
    static final int ROUNDS = 400;

    static native void churn(Object tagged, int rounds);

    static native void report();

    static void called() {
    }

    public static void main(String[] args) throws Exception {
        Object shared = new Object();
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++)
            (threads[i] = new Thread(() -> churn(shared, ROUNDS))).start();
        for (Thread t : threads)
            t.join();
        report();
    }
}
