// SPDX-License-Identifier: Apache-2.0
// AsyncGetCallTrace at every single instruction of native calls: a thread runs with the processor's trap flag set, and a trace is taken at
// each trap. Inside a stub the newest frame is that of the native method, its caller the next one. Then the same with a caller that is
// compiled: inside of its stubs the native method is there or not, and the caller stands at the same instruction all the time.
// @only pellucid
// @agent asgct_steps
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:-JitInline
// @not stress a trace that is taken in a collection has no frames, and there is one at every step
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

    static void warm(AsyncTraceStubs t) {
        for (int i = 0; i < 20_000; i++) {
            calls(t);
        }
    }

    static void show(String what, int count, boolean stepped) {
        boolean x86 = System.getProperty("os.arch").equals("amd64");
        System.out.println(stepped || !x86 ? what : what + ": only " + count);
    }

    public static void main(String[] args) {
        AsyncTraceStubs t = new AsyncTraceStubs();
        calls(t); // what is linked and loaded at the first time
        begin();
        calls(t);
        end();
        int[] counts = counts();
        show("stepped", counts[0], counts[0] > 1000);
        show("stubs are seen", counts[1], counts[1] > 100);
        warm(t);
        begin();
        calls(t);
        end();
        counts = counts();
        System.err.println(counts[0] + " steps, " + counts[1] + " in stubs, " + counts[2] + " of which for compiled code");
        show("stubs for compiled code are seen", counts[2], counts[2] > 100);
        System.out.println(counts[3] + " wrong in stubs, " + counts[4] + " wrong elsewhere");
    }
}
