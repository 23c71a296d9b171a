// SPDX-License-Identifier: Apache-2.0
// A thread suspended in native code does not get a raw monitor, and one that is interrupted as it begins to wait hands on the
// notification it was given. Where a suspended thread stands in RawMonitorWait is each VM's own.
// @only pellucid
// @agent ti_raw_suspended
// @quick
public class RawSuspended {
    static native void hold();

    static native void enter();

    static native void free(Thread t);

    static native void first();

    static native void second();

    static native void interrupt(Thread t);

    static native void notify(Thread t);

    static Thread start(Runnable body) {
        Thread t = new Thread(body);
        t.start();
        return t;
    }

    public static void main(String[] args) throws Exception {
        hold();
        Thread enters = start(RawSuspended::enter);
        free(enters);
        enters.join();
        Thread first = start(RawSuspended::first);
        interrupt(first);
        Thread second = start(RawSuspended::second);
        notify(first);
        first.join();
        second.join();
        System.out.println("interrupted: " + first.isInterrupted());
    }
}
