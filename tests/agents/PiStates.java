// SPDX-License-Identifier: Apache-2.0
// JVMPI: states of threads in raw monitors, a list of threads that begins with the caller, events enabled within a collection,
// names of raw monitors. Statements 83 and 104 of the check list.
// @only pellucid
// @xrun pi_states
// @quick
public class PiStates {
    static native void be(int index);

    static native void await(int count);

    static native void pairs();

    static native void names();

    static native void lines();

    static native void waitThenEnter();

    static native void states();

    static native void suspendBoth();

    static native void resumeBoth();

    static volatile boolean stop;

    public static void main(String[] args) throws Exception {
        System.loadLibrary("pi_states");
        be(0);
        pairs();
        names();
        lines();
        Thread first = new Thread(() -> {
            be(1);
            waitThenEnter();
        });
        first.start();
        await(2);
        states();
        first.join();
        Thread second = new Thread(() -> {
            be(2);
            while (!stop)
                Thread.onSpinWait();
        });
        second.start();
        await(3);
        first = new Thread(() -> {
            be(1);
            suspendBoth();
        });
        first.start();
        await(4);
        resumeBoth();
        stop = true;
        first.join();
        second.join();
    }
}
