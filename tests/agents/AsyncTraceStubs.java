// SPDX-License-Identifier: Apache-2.0
// AsyncGetCallTrace at every single instruction of native calls: a thread runs with the processor's trap flag set, and a trace is taken at
// each trap. Inside a stub the newest frame is that of the native method, its caller the next one.
// @only pellucid
// @agent asgct_steps
// @timeout 60
public class AsyncTraceStubs {
    static native void begin(); // from here on each instruction traps

    static native void end();

    static native long mixed(int a, double b, Object c, Object d, long e, byte f, short g, float h, int i, int j);

    native Object self(Object o);

    static native synchronized boolean locked();

    static native void thrower();

    static native int[] counts();

    static void calls(AsyncTraceStubs t) {
        mixed(1, 2, null, t, 3, (byte) 4, (short) 5, 6, 7, 8);
        t.self(t);
        t.self(null);
        locked();
        try {
            thrower();
        } catch (IllegalStateException e) {
            t.self(e);
        }
    }

    public static void main(String[] args) {
        AsyncTraceStubs t = new AsyncTraceStubs();
        calls(t); // what is linked and loaded at the first time
        begin();
        calls(t);
        end();
        int[] counts = counts();
        System.err.println(counts[0] + " steps, " + counts[1] + " in stubs");
        boolean x86 = System.getProperty("os.arch").equals("amd64");
        System.out.println(counts[0] > 1000 || !x86 ? "stepped" : "only " + counts[0] + " steps");
        System.out.println(counts[1] > 100 || !x86 ? "stubs are seen" : "only " + counts[1] + " steps in stubs");
        System.out.println(counts[2] + " wrong in stubs, " + counts[3] + " wrong elsewhere");
    }
}
