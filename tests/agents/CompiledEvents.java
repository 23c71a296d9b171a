// SPDX-License-Identifier: Apache-2.0
// CompiledMethodLoad with its address map and record of inlining, when a method was compiled and by GenerateEvents; CompiledMethodUnload of a method
// whose class was unloaded.
// @agent ti_compiled_events
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile
// @timeout 180
import java.io.InputStream;

public class CompiledEvents {
    static native int loads(int env);
    static native boolean isLoaded();
    static native boolean isUnloaded();
    static native int wrong();
    static native int generate(int env);

    static int small(int n) { return n * 3 + 1; }
    // It calls itself, so that it stays a method although work() takes it in.
    static int hot(int n) {
        int sum = n < 16 ? small(n) : hot(n / 2);
        for (int i = 0; i < (n & 7); i++)
            sum ^= small(i) + n / (i + 1);
        return sum;
    }

    public static class Inner implements Runnable {
        static int sum;
        // It calls itself, so that it stays a method although run() takes it in.
        static int inner(int n) { return n == 0 ? 1 : inner(n - 1) * 31 ^ n; }
        @Override public void run() {
            for (int i = 0; i < 1000; i++)
                sum += inner(i & 7);
        }
    }

    static class Loader extends ClassLoader {
        Runnable load() throws Exception {
            try (InputStream in = CompiledEvents.class.getResourceAsStream("CompiledEvents$Inner.class")) {
                byte[] bytes = in.readAllBytes();
                return (Runnable) defineClass("CompiledEvents$Inner", bytes, 0, bytes.length).getDeclaredConstructor().newInstance();
            }
        }
    }

    interface Condition { boolean holds(); }

    // Whether the condition holds within a minute of turns.
    static boolean until(Runnable turn, Condition c) throws Exception {
        long end = System.nanoTime() + 60_000_000_000L;
        while (!c.holds() && System.nanoTime() < end) {
            turn.run();
            Thread.sleep(1);
        }
        return c.holds();
    }

    static int sum;

    static void work() {
        for (int i = 0; i < 2000; i++)
            sum += hot(i);
    }

    static boolean compileInner() throws Exception {
        Runnable r = new Loader().load();
        return until(r, () -> isLoaded());
    }

    public static void main(String[] args) throws Exception {
        System.out.println("sent to both: " + until(CompiledEvents::work, () -> loads(0) > 0 && loads(1) > 0));
        Thread.sleep(200);
        int first = loads(0), second = loads(1);
        boolean several = generate(1) > 1;
        System.out.println("several " + several + ", generated for one: " + (loads(0) - first) + ", for the other: " + (loads(1) > second));
        System.out.println("inner is loaded: " + compileInner());
        System.out.println("unloaded: " + until(System::gc, () -> isUnloaded()));
        System.out.println("generated again: " + (generate(0) > 1));
        System.out.println("wrong: " + wrong());
    }
}
