// SPDX-License-Identifier: Apache-2.0
// The extension functions SetBreakpoints and ClearBreakpoints: errors of the call and of each location, hits in interpreted and in
// compiled code, clearing from the callback, and all lines of all classes beside busy threads with few stops of the world.
// With arguments, the names of jar files or modules' classes to load first, it says how long that took.
// @agent ti_many_breakpoints
// @only pellucid
// @quick
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import javax.management.ObjectName;

public class ManyBreakpoints {
    static final long NO_METHOD = -2;

    static native int[] change(boolean set, Method m, long... locations);

    static native void refused(Method m);

    static native int[] all(boolean set);

    static native void tell(boolean on, boolean clear);

    static native int takeHits();

    interface Abstract {
        void none();
    }

    static int add(int a, int b) { // iload_0, iload_1, iadd, ireturn
        return a + b;
    }

    static int wide(int a) { // sipush at 0 has three bytes
        return 1000 + a;
    }

    static int sum(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s = add(s, i);
        }
        return s;
    }

    static Method method(Class<?> c, String name) {
        for (Method m : c.getDeclaredMethods()) {
            if (m.getName().equals(name)) {
                return m;
            }
        }
        throw new AssertionError(name);
    }

    static void errors() {
        Method add = method(ManyBreakpoints.class, "add"), wide = method(ManyBreakpoints.class, "wide");
        refused(add);
        show("set", change(true, add, 0, 1, 0, -1, 4, 99, NO_METHOD, 3));
        show("set in the middle", change(true, wide, 0, 1, 2, 3));
        show("native", change(true, method(ManyBreakpoints.class, "takeHits"), 0));
        show("abstract", change(true, method(Abstract.class, "none"), 0));
        show("cleared", change(false, add, 3, 3, 2, -1, 4, NO_METHOD, 1));
        show("cleared", change(false, wide, 1, 3, 0));
        tell(true, false);
        System.out.println(add(1, 2) + " with hits " + takeHits());
        show("cleared", change(false, add, 0));
        System.out.println(add(1, 2) + " with hits " + takeHits());
    }

    static void show(String what, int[] results) {
        System.out.println(what + ": " + Arrays.toString(results));
    }

    // Until it is compiled, or not (with -Xint): hits must be the same.
    static void compiled() {
        Method add = method(ManyBreakpoints.class, "add"), sum = method(ManyBreakpoints.class, "sum");
        for (int i = 0; i < 3000; i++) {
            sum(100);
        }
        show("set in hot code", change(true, add, 0, 1, 2, 3));
        System.out.println(sum(10) + " with hits " + takeHits());
        show("and in its caller", change(true, sum, 0, 2));
        System.out.println(sum(10) + " with hits " + takeHits());
        tell(true, true);
        System.out.println(sum(10) + " with hits " + takeHits() + ", each cleared by its own");
        System.out.println(sum(10) + " with hits " + takeHits());
        tell(false, false);
    }

    static volatile boolean over;
    static volatile int spin;

    static Thread[] busy(int n) {
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            threads[i] = new Thread(() -> {
                while (!over) {
                    spin = sum(1000);
                }
            });
            threads[i].setDaemon(true);
            threads[i].start();
        }
        return threads;
    }

    static Object command(String name, String... args) throws Exception {
        return ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), name,
            new Object[] {args}, new String[] {String[].class.getName()});
    }

    // Of all, those of the two operations.
    static long stops(Path log) throws Exception {
        return Files.lines(log).filter(l -> l.contains("\"SetBreakpoints\"") || l.contains("\"ClearBreakpoints\"")).count();
    }

    static void everywhere(boolean timed) throws Exception {
        Path log = Files.createTempFile("stops", ".log");
        log.toFile().deleteOnExit();
        command("vmLog", "output=" + log, "what=safepoint=info");
        long before = stops(log);
        Thread[] threads = busy(3);
        int[] set = all(true), again = all(true), cleared = all(false), none = all(false);
        over = true;
        for (Thread t : threads) {
            t.join();
        }
        long stops = stops(log) - before;
        System.out.println("all lines: " + (set[0] > 10000) + ", refused " + set[1] + " and " + cleared[1] + ", again "
            + (again[1] == set[0]) + " and " + (none[1] == set[0]));
        // Thousands a stop, and more stops where these take their time.
        System.out.println("few stops: " + (stops > 0 && stops < set[0] / 10));
        if (timed) {
            System.out.println(set[0] + " lines set in " + set[2] + " us, cleared in " + cleared[2] + " us, " + stops + " stops");
            Files.lines(log).filter(l -> l.contains("Breakpoints\"")).forEach(System.out::println);
        }
    }

    public static void main(String[] args) throws Exception {
        errors();
        compiled();
        for (String classes : args) {
            for (String name : Files.readAllLines(Path.of(classes))) {
                Class.forName(name, false, ManyBreakpoints.class.getClassLoader());
            }
        }
        everywhere(args.length > 0);
    }
}
