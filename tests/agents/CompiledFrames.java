// SPDX-License-Identifier: Apache-2.0
// Tools change compiled frames as they do interpreted ones, wherever these are in the stack: locals are set, pops are told, frames are popped and
// made to return, exceptions are thrown into them, a breakpoint is set in what compiled code returns to. Then two agents read, write and pop the
// frames of one thread at once while a profiler takes traces of it and collections move what it has; its sums stay right.
// @only pellucid
// @agent ti_compiled_frames
// @javac -g
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:CompileThresholdScaling=0.05
// @modes asan stress
// @timeout 120
public class CompiledFrames {
    static final int NOTHING = 0, SET_LOCALS = 1, NOTIFY_POPS = 2, BREAK = 3, STEP = 4;

    static native int tool(int what); // acts on the frames of the current thread
    static native int pop(Thread t, int argument); // of `spin`, after its first argument was changed
    static native int force(Thread t, int result);
    static native int step(Thread t);
    static native int stop(Thread t, Throwable e);
    static native int unwound(Thread t, int times);
    static native void lead(Thread t, int rounds);
    static native void follow(Thread t, int rounds);
    static native boolean traced();

    static volatile boolean go;

    // slots: n 0, wide 1, d 3, text 5, what 6, mine 7
    static int work(int n, long wide, double d, String text, int what) {
        int mine = n * 3;
        int below = n == 0 ? bottom(what) : work(n - 1, wide + 1, d / 2, text, what);
        return below + mine + (int) wide + (int) d + text.length();
    }
    static int bottom(int what) {
        if (tool(what) == 99)
            throw new IllegalStateException();
        return new int[1].length;
    }
    static synchronized int locking(int n) {
        synchronized (CompiledFrames.class) {
            return work(n, 1, 2, "ab", NOTIFY_POPS) + n;
        }
    }
    static int stepped(int n) {
        int a = bottom(n > 0 ? STEP : NOTHING) + n;
        a += n;
        return a;
    }

    static int spin(int a, int b, int limit) {
        int turns = 0;
        while (go || limit-- > 0)
            turns++;
        return a * 10 + b + (turns < 0 ? 1 : 0);
    }
    static int caller(int a, int limit) {
        return spin(a, 2, limit) + 1000;
    }
    static String spinning(int a) {
        try {
            return "" + caller(a, 0);
        } catch (Error e) {
            return e.getMessage() + " in " + e.getStackTrace()[0].getMethodName();
        }
    }

    interface Act {
        int on(Thread t);
    }
    static void spin(String name, Act act) throws Exception {
        go = true;
        String[] result = new String[1];
        Thread t = new Thread(() -> result[0] = spinning(4));
        t.start();
        int error = act.on(t);
        go = false;
        t.join();
        System.out.println(name + ": " + error + ", " + result[0]);
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }
    static void fibs() {
        while (!ends) {
            wrong += fib(18) == 2584 ? 0 : 1;
            turns++;
        }
    }
    static void recursion() throws Exception {
        Thread t = new Thread(CompiledFrames::fibs);
        t.start();
        System.out.println("frames of a recursion popped: " + unwound(t, 200) + " steps lost");
        ends = true;
        t.join();
        System.out.println("wrong " + wrong);
        ends = false;
    }

    static volatile boolean ends;
    static volatile int wrong, turns;
    static void sums() {
        int right = work(12, 5, 64, "text", NOTHING);
        while (!ends) {
            wrong += work(12, 5, 64, "text", NOTHING) == right ? 0 : 1;
            turns++;
        }
    }

    static void start() {
        for (int i = 0; i < 3000; i++) {
            work(3, i, 1, "warm", NOTHING);
            caller(1, 3);
            stepped(-1);
        }
    }

    public static void main(String[] args) throws Exception {
        start();
        System.out.println("as it is: " + work(4, 10, 8, "text", NOTHING));
        System.out.println("locals set: " + work(4, 10, 8, "text", SET_LOCALS));
        System.out.println("pops told: " + work(4, 10, 8, "text", NOTIFY_POPS));
        System.out.println("locked: " + locking(2));
        System.out.println("broken: " + work(2, 1, 1, "t", BREAK));
        start();
        System.out.println("stepped: " + stepped(5));
        start();
        spin("popped", t -> pop(t, 7));
        spin("forced", t -> force(t, 77));
        start();
        spin("stepped from there", t -> step(t));
        Error thrown = new Error("thrown");
        spin("stopped", t -> stop(t, thrown));
        recursion();
        Thread t = new Thread(CompiledFrames::sums);
        t.start();
        int rounds = Integer.getInteger("rounds", 100);
        Thread other = new Thread(() -> follow(t, rounds));
        other.start();
        lead(t, rounds);
        other.join();
        ends = true;
        t.join();
        System.out.println("wrong " + wrong + ", turns " + (turns > 0) + ", traced " + traced());
    }
}
