// SPDX-License-Identifier: Apache-2.0
// Rules of native method prefixes, disposed environments, exhausted resources, dump requests.
// @agent ti_rules_rest
// @flags -Xmx48m -Xlog:jvmti=off
import java.util.ArrayList;
import java.util.List;

public class RulesRest {
    static native int wrapped_linked();

    static native int wrapped_registered();

    static native int wrapped_later();

    // What instrumentation leaves of a native method: a wrapper under its name.
    static int linked() {
        return wrapped_linked();
    }

    static int registered() {
        return wrapped_registered();
    }

    static int later() {
        return wrapped_later();
    }

    static native int register();

    static native void dispose();

    static native int suspendBySecond(Thread t);

    static native int resume(Thread t);

    static native void dump();

    static native void outOfMemory();

    static void rule(String number, boolean holds) {
        System.out.println(number + (holds ? " ok" : " FAILS"));
    }

    static volatile boolean done;

    static void prefixes() throws Exception {
        rule("N5", linked() == 1);
        rule("N6", register() == 0 && registered() == 2);
        Thread t = new Thread(() -> {
            while (!done)
                Thread.onSpinWait();
        });
        t.start();
        rule("suspended", suspendBySecond(t) == 0);
        dispose();
        boolean linked = true;
        try {
            later();
        } catch (UnsatisfiedLinkError e) {
            linked = false;
        }
        rule("B8", !linked);
        rule("resumed", resume(t) == 0);
        done = true;
        t.join();
    }

    static void exhaust() {
        List<byte[]> all = new ArrayList<>();
        try {
            while (true)
                all.add(new byte[1 << 20]);
        } catch (OutOfMemoryError e) {
            all = null;
        }
        outOfMemory();
    }

    public static void main(String[] args) throws Exception {
        prefixes();
        exhaust();
        dump();
    }
}
