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
    static int round;

    static native void start(Class<?> worked);

    static native void disturb(Thread t, int round);

    static native boolean[] told();

    public static void main(String[] args) throws Exception {
        start(AsyncTrace.class);
        AsyncTrace.sample(Integer.getInteger("async.seconds", 20), t -> {
            disturb(t, round++);
            if (round % 16 == 0)
                System.gc();
            Thread.sleep(round % 4);
        });
        String missing = "";
        String[] kinds = {"entry", "exit", "step", "breakpoint", "exception", "catch", "pop", "compiled"};
        boolean[] told = told();
        for (int i = 0; i < kinds.length; i++)
            missing += told[i] ? "" : " no " + kinds[i];
        System.out.println("events:" + (missing.isEmpty() ? " all kinds" : missing));
    }
}
