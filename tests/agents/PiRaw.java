// SPDX-License-Identifier: Apache-2.0
// JVMPI's raw monitors. Each line is the number of statements of the specification's check list.
// @only pellucid
// @xrun pi_raw
// @quick
public class PiRaw {
    static native void owners();

    static native void waiting();

    static native void events();

    static native void beVictim();

    static native void suspended();

    static native void destroy();

    static volatile boolean stop;

    public static void main(String[] args) throws Exception {
        System.loadLibrary("pi_raw");
        owners();
        waiting();
        events();
        Thread victim = new Thread(() -> {
            beVictim();
            while (!stop)
                Thread.onSpinWait();
        });
        victim.start();
        suspended();
        stop = true;
        victim.join();
        destroy();
    }
}
