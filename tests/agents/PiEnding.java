// SPDX-License-Identifier: Apache-2.0
// JVMPI: GetThreadStatus and GetThreadObject of threads that are ending, whose environments are known: right or none.
// @only pellucid
// @xrun pi_ending
// @quick
public class PiEnding {
    static volatile boolean end;

    static native void be(int place);

    static native int ask(Class<?> thread);

    // One short thread after the other.
    static void startThreads(int place) {
        while (!end) {
            Thread t = new Thread(() -> be(place));
            t.start();
            try {
                t.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        System.loadLibrary("pi_ending");
        Thread[] starters = new Thread[4];
        for (int i = 0; i < starters.length; i++) {
            int place = i;
            starters[i] = new Thread(() -> startThreads(place));
            starters[i].start();
        }
        int wrong = 0;
        for (long stop = System.nanoTime() + 2_000_000_000L; System.nanoTime() < stop;)
            wrong += ask(Thread.class);
        end = true;
        for (Thread t : starters)
            t.join();
        System.out.println("wrong: " + wrong);
    }
}
