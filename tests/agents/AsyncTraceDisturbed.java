// SPDX-License-Identifier: Apache-2.0
// AsyncGetCallTrace ten thousand times a second while another thread stops those that are sampled, whose frames are compiled: reads and
// writes their locals, has pops told, pops frames, and switches events of calls, steps, breakpoints and exceptions on and off. No trace
// and no sum is wrong. By hand for longer: -Dasync.seconds=600.
// @only pellucid
// @agent asgct
// @agent ti_disturb
// @flags -Xmx64m -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:CompileThresholdScaling=0.05
// @timeout 90
public class AsyncTraceDisturbed {
    static final String[] KINDS = {"entry", "exit", "step", "breakpoint", "exception", "catch", "pop", "compiled"};

    static native void start(Class<?> worked);

    static native void disturb(Thread t, int round);

    static native boolean[] told();

    static String missing() {
        String missing = "";
        boolean[] told = told();
        for (int i = 0; i < KINDS.length; i++)
            missing += told[i] ? "" : " no " + KINDS[i];
        return missing;
    }

    static class Disturb implements AsyncTrace.Act {
        static final int MOST = 1000; // turns by which each kind has long been told
        int round;

        @Override
        public void on(Thread t) throws Exception {
            disturb(t, round++);
            if (round % 16 == 0)
                System.gc();
            Thread.sleep(round % 4);
        }

        @Override
        public boolean isOver() { // each kind has its turn on a slow machine, too
            return missing().isEmpty() || round > MOST;
        }
    }

    public static void main(String[] args) throws Exception {
        start(AsyncTrace.class);
        AsyncTrace.sample(Integer.getInteger("async.seconds", 20), new Disturb());
        String missing = missing();
        System.out.println("events:" + (missing.isEmpty() ? " all kinds" : missing));
    }
}
