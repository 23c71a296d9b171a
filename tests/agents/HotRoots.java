// SPDX-License-Identifier: Apache-2.0
// Frames that are inlined in one another, cold and hot, interpreted and compiled in all ways: the roots of the heap with their depth, slot, method and
// location, the owned monitors with their depths, and what frames and calls do when their class is redefined below them.
// @agent ti_hot_roots
// @javac -g
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions
// @timeout 240
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public class HotRoots {
    static native void tag(Object o, long tag);
    static native String look(); // roots and monitors of the current thread
    static native void change(Class<?> c, int old, int now); // a constant

    static class Held {
        final int number;
        Held(int number) {
            this.number = number;
        }
    }
    static final Held[] held = new Held[20];
    static String seen;
    static boolean looks; // else nothing is done, so that the path is hot

    // Each frame has what it needs afterwards, too.
    static int outer(Held a, int n) {
        Held b = held[1];
        long wide = n * 3L;
        Held c = held[n & 1];
        int sum = middle(b, 0.5, a) + a.number;
        return sum + b.number + c.number + (int) wide;
    }
    static int middle(Held a, double d, Held b) {
        Object[] all = {a, b};
        synchronized (b) {
            int sum = new HotRoots().inner(held[2], all);
            synchronized (a) {
                sum += at(held[3], a);
                for (Held h : held) {
                    if (h.number == 5 && looks)
                        seen += look();
                    sum += h.number;
                }
            }
            return sum + a.number + (int) d + all.length;
        }
    }
    synchronized int inner(Held a, Object[] all) {
        Held mine = (Held) all[0];
        try {
            return at(a, mine) / (a.number - 2);
        } catch (ArithmeticException e) {
            return at(mine, a) + a.number;
        } finally {
            at(a, a);
        }
    }
    static synchronized int at(Held a, Held b) {
        if (looks)
            seen += look();
        return a.number * 31 + b.number;
    }

    static class Changing {
        static int version() {
            return 1111111;
        }
        static int frames(int depth) { // of itself, obsolete in the end
            if (depth > 0)
                return frames(depth - 1) % 5555555 + 1111111 + version();
            int before = version();
            toChange();
            return before + 3 * version() + 7 * 1111111;
        }
    }
    static boolean changes;
    static int now = 1111111;
    static void toChange() {
        if (!changes)
            return;
        int next = now == 1111111 ? 1234567 : 1111111;
        change(Changing.class, 1111111, next);
        now = next;
    }
    static int calls() {
        int before = Changing.version();
        toChange();
        return before + 3 * Changing.version();
    }

    static void child() {
        for (int i = 0; i < held.length; i++) {
            held[i] = new Held(i);
            tag(held[i], i + 1);
        }
        tag(HotRoots.class, 100);
        for (int round = 0; round < 3; round++) {
            seen = "";
            looks = true;
            int sum = outer(held[4], 7);
            looks = false;
            System.out.println(sum + " " + seen.hashCode() + " " + seen);
            changes = true;
            System.out.println("changed: " + calls() + " " + Changing.frames(2) + " " + calls() + " " + Changing.frames(0) + " " + Changing.frames(3));
            changes = false;
            for (int i = 0; i < 3000; i++)
                if (outer(held[4], 7) != sum || calls() != 4 * now)
                    System.out.println("wrong at " + i);
            System.out.println("then: " + calls() + " " + Changing.frames(2));
            for (int i = 0; i < 3000; i++)
                Changing.frames(i % 4);
        }
    }

    static String run(String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(Arrays.asList(options));
        command.addAll(Arrays.asList("-cp", System.getProperty("java.class.path"), "HotRoots", "child"));
        Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out;
        try (InputStream in = p.getInputStream()) {
            out = new String(in.readAllBytes());
        }
        return out + "exit " + p.waitFor() + "\n";
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child();
            return;
        }
        String[][] ways = {{"-Xint"}, {}, {"-XX:+JitAll", "-XX:+JitSync"}, {"-XX:+JitAll", "-XX:+JitInlineAll"}, {"-XX:+JitAll", "-XX:JitDeoptEvery=7"}};
        boolean isPellucid = System.getProperty("java.vm.name").contains("Pellucid");
        String interpreted = run(ways[0]);
        System.out.println(interpreted);
        for (String[] way : ways) {
            String out = isPellucid ? run(way) : interpreted; // HotSpot's compiled frames tell other roots
            System.out.println(String.join(" ", way) + ": " + (out.equals(interpreted) ? "the same" : "\n" + out));
        }
    }
}
