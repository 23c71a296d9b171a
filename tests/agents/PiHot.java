// SPDX-License-Identifier: Apache-2.0
// JVMPI's METHOD_ENTRY2 with METHOD_EXIT, INSTRUCTION_START and OBJECT_ALLOC of code that is cold and that is hot, interpreted and compiled in
// all ways, the events being enabled for a moment: the same are sent, in the same order.
// @only pellucid
// @xrun pi_hot
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+EnableJVMPIInstructionStartEvent
// @timeout 240
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;

public class PiHot {
    static native void watch(int event, boolean on);
    static native void count(boolean on);
    static native String seen();

    static final int METHOD_ENTRY2 = 2, METHOD_EXIT = 3, INSTRUCTION_START = 9, OBJECT_ALLOC = 4;
    static final int[][] KINDS = {{METHOD_ENTRY2, METHOD_EXIT}, {METHOD_EXIT}, {INSTRUCTION_START}, {OBJECT_ALLOC}, {METHOD_ENTRY2, OBJECT_ALLOC}};

    interface Shape {
        int area(int n);
    }
    static class Square implements Shape {
        public int area(int n) {
            return n * n;
        }
    }
    static class Other extends Square {
        @Override
        public synchronized int area(int n) {
            return super.area(n) + wide(n, n, 0.5);
        }
    }
    static int wide(int n, long l, double d) {
        return (int) (n + l * d);
    }
    static final Shape[] shapes = {new Square(), new Other()};

    static int calls() {
        int sum = 0;
        for (int i = 0; i < 10; i++)
            sum += shapes[i & 1].area(i) + fib(i & 3) + locked(i) + Math.max(i, sum) + Integer.bitCount(i);
        return sum + System.identityHashCode(null);
    }
    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }
    static synchronized int locked(int n) {
        synchronized (shapes) {
            return n + 1;
        }
    }
    static int exceptions() {
        int sum = 0;
        for (int i = 0; i < 10; i++)
            try {
                sum += passes(i);
            } catch (ArithmeticException e) {
                sum++;
            } catch (ArrayIndexOutOfBoundsException e) {
                sum += 2;
            }
        return sum;
    }
    static int passes(int i) {
        return divides(i) + 1;
    }
    static synchronized int divides(int i) {
        return 100 / (i & 3) + shapes.length + (i == 7 ? new int[1][i].length + new int[i][1][i].length : 0);
    }
    static Object kept;
    static int allocates() {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            int[] a = {i, i + 1};
            List<Object> list = new ArrayList<>();
            list.add(a.clone());
            list.add(i * 1000);
            list.add(new StringBuilder().append(i).append("text").toString());
            kept = Arrays.copyOf(a, 3 + i);
            kept = new long[2][i];
            Square s = new Square();
            sum += s.area(i) + list.size();
        }
        return sum;
    }
    static int branches() {
        int sum = 0;
        for (int i = 0; i < 12; i++) {
            switch (i) {
            case 1: sum += 3; break;
            case 2: sum ^= i; continue;
            case 1000: sum--; break;
            default: sum += i % 3 == 0 ? 1 : i > 5 ? 2 : 3;
            }
            sum += kept instanceof int[] ? 1 : 0;
        }
        return sum;
    }

    static void tell(String name, IntSupplier work) {
        int result = work.getAsInt();
        for (int hot = 0; hot < 2; hot++) {
            for (int[] kinds : KINDS) {
                for (int k : kinds)
                    watch(k, true);
                count(true);
                int again = work.getAsInt();
                count(false);
                for (int k : kinds)
                    watch(k, false);
                System.out.println(name + (hot == 0 ? " cold " : " hot ") + Arrays.toString(kinds) + ": " + (again == result) + " " + seen());
            }
            for (int i = 0; i < 2000 && hot == 0; i++)
                work.getAsInt();
        }
    }

    static void child() {
        tell("calls", PiHot::calls);
        tell("exceptions", PiHot::exceptions);
        tell("allocates", PiHot::allocates);
        tell("branches", PiHot::branches);
    }

    static String run(String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(Arrays.asList(options));
        command.addAll(Arrays.asList("-cp", System.getProperty("java.class.path"), "PiHot", "child"));
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
        String interpreted = run(ways[0]);
        String[] lines = interpreted.split("\n");
        int right = 0, events = 0;
        for (int i = 0; i < lines.length; i++) {
            String cold = lines[i].replace(" hot ", " cold ");
            if (lines[i].contains(" hot ") && !Arrays.asList(lines).contains(cold))
                System.out.println("hot: " + lines[i]);
            if (lines[i].contains(": true ")) {
                right++;
                events += Integer.parseInt(lines[i].replaceAll(".*: true ([0-9]+) .*", "$1"));
            }
        }
        System.out.println(right + " right, events " + (events > 20_000));
        for (String[] way : ways) {
            String out = run(way);
            System.out.println(String.join(" ", way) + ": " + (out.equals(interpreted) ? "the same" : "\n" + interpreted + "against\n" + out));
        }
    }
}
