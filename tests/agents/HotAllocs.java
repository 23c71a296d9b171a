// SPDX-License-Identifier: Apache-2.0
// Allocation events of code that is cold and that is hot, interpreted and compiled in all ways: the same objects are told, with the same
// stacks; none that the compiler could do without is missing. What the VM allocates is compared between Pellucid's ways alone.
// @agent ti_hot_allocs
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions -XX:-DoEscapeAnalysis
// @javac -XDstringConcat=inline
// @timeout 240
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public class HotAllocs implements Cloneable {
    static native void watch(Thread t, boolean on);
    static native String seen(boolean byVm);

    interface Work {
        int run(int n) throws Exception;
    }

    static class Point {
        final int x, y;
        Point(int x, int y) {
            this.x = x;
            this.y = y;
        }
        Point plus(Point p) {
            return new Point(x + p.x, y + p.y);
        }
        int sum() {
            return x + y;
        }
    }
    static class Cell extends Point {
        final Object value;
        Cell(int x, Object value) {
            super(x, -x);
            this.value = value;
        }
    }
    static class Copied implements Cloneable {
        int a = 1, b = 2;
        @Override
        public Copied clone() throws CloneNotSupportedException {
            return (Copied) super.clone();
        }
    }

    static Object kept;

    static int escapes(int n) { // what escape analysis does without
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += new Point(i, sum).plus(new Point(1, i)).sum();
        return sum;
    }
    static int maybe(int n) { // escapes on one path
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Cell c = new Cell(i, null);
            if (i % 3 == 0)
                kept = c;
            sum += c.sum() + c.x;
        }
        return sum;
    }
    static int arrays(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += new boolean[i].length + new byte[i].length + new char[i & 7].length + new short[3].length;
            sum += new int[i].length + new long[i & 3].length + new float[i].length + new double[2].length;
            Object[] objects = new Object[i];
            Point[] points = {new Point(i, i), null};
            sum += objects.length + points[0].x;
            kept = new int[2][i & 3];
            kept = new Point[2][2][];
        }
        return sum;
    }
    static int boxes(int n) {
        Integer sum = 1000;
        Long wide = 5_000_000_000L;
        for (int i = 0; i < n; i++) {
            sum += i * 300;
            wide += sum;
            kept = (double) i;
            kept = (char) (i + 500);
        }
        return sum + wide.intValue();
    }
    static synchronized int lists(int n) {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < n; i++)
            list.add(i * 1000);
        int sum = 0;
        for (int i : list)
            sum += i;
        return sum + varied(n, "a", list, null);
    }
    static int varied(int n, Object... rest) {
        return n + rest.length;
    }
    static int strings(int n) {
        String s = "s";
        for (int i = 0; i < n; i++)
            s = new StringBuilder().append(s).append(i).append('c').toString().substring(1);
        return s.length() + String.valueOf(n * 1001).hashCode() + new String(new char[] {'a', (char) n}).length();
    }
    static int copies(int n) throws Exception {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            int[] a = {i, 2, 3};
            sum += a.clone()[0] + Arrays.copyOf(a, i).length + Arrays.copyOfRange(a, 1, 3)[0];
            sum += new Copied().clone().b;
            sum += Arrays.copyOf(new String[] {"a"}, 2).length;
            sum += Array.getLength(Array.newInstance(Point.class, i));
        }
        return sum;
    }
    static int thrown(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            try {
                sum += failing(i);
            } catch (Failure e) {
                sum += e.made.x;
            }
        return sum;
    }
    static class Failure extends RuntimeException {
        final Point made;
        Failure(Point made) {
            super(null, null, false, false);
            this.made = made;
        }
    }
    static int failing(int i) {
        Point p = new Point(i, 1);
        if (i % 2 == 0)
            throw new Failure(p);
        return p.y;
    }
    static int branches(int n) { // one path allocates, the other does when it is hot
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Point p = i == 5 ? null : i == 7 ? new Cell(i, "seven") : new Point(i, 0);
            sum += p == null ? new long[4].length : p.sum();
        }
        return sum;
    }
    static int lambdas(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            int k = i;
            java.util.function.IntUnaryOperator f = x -> x + new Point(x, k).sum();
            sum = f.applyAsInt(sum);
        }
        return sum;
    }

    // Each is a line: what it is that differs.
    static void tell(String name, Work work) throws Exception {
        int result = work.run(10); // what it loads and links is there
        Thread self = Thread.currentThread();
        String[] first = new String[2];
        for (int hot = 0; hot < 2; hot++) {
            watch(self, true);
            int again = work.run(10);
            watch(self, false);
            String[] now = {seen(false), seen(true)};
            if (hot == 0) {
                first = now;
                for (int i = 0; i < 1500; i++)
                    work.run(10);
            }
            System.out.println(name + (hot == 0 ? " cold: " : " hot: ") + (again == result) + " " + now[0] + (args.length > 1 ? ", " + now[1] : ""));
        }
    }

    static String[] args;
    static void child() throws Exception {
        watch(Thread.currentThread(), true);
        for (int i = 0; i < 100_000; i++) // what was on the way before the interval was 0 is over
            kept = new byte[64];
        watch(Thread.currentThread(), false);
        seen(false);
        seen(true);
        tell("escapes", HotAllocs::escapes);
        tell("maybe", HotAllocs::maybe);
        tell("arrays", HotAllocs::arrays);
        tell("boxes", HotAllocs::boxes);
        tell("lists", HotAllocs::lists);
        tell("strings", HotAllocs::strings);
        tell("copies", HotAllocs::copies);
        tell("thrown", HotAllocs::thrown);
        tell("branches", HotAllocs::branches);
        tell("lambdas", HotAllocs::lambdas);
    }

    static String run(String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(Arrays.asList(options));
        command.addAll(Arrays.asList("-cp", System.getProperty("java.class.path"), "HotAllocs", "child"));
        if (System.getProperty("java.vm.name").contains("Pellucid"))
            command.add("all");
        Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out;
        try (InputStream in = p.getInputStream()) {
            out = new String(in.readAllBytes());
        }
        return out + "exit " + p.waitFor() + "\n";
    }

    public static void main(String[] a) throws Exception {
        args = a;
        if (a.length > 0) {
            child();
            return;
        }
        boolean isPellucid = System.getProperty("java.vm.name").contains("Pellucid");
        String[][] ways = {{"-Xint"}, {}, {"-XX:+JitAll", "-XX:+JitSync"}, {"-XX:+JitAll", "-XX:+JitInlineAll"}, {"-XX:+JitAll", "-XX:JitDeoptEvery=7"}};
        String interpreted = run(ways[0]);
        for (String line : interpreted.split("\n"))
            System.out.println(line.replaceAll(", by the VM.*", ""));
        for (String[] way : ways) {
            String out = isPellucid ? run(way) : interpreted; // HotSpot's compiled code tells other things of copies
            System.out.println(String.join(" ", way) + ": " + (out.equals(interpreted) ? "the same" : "\n" + interpreted + "against\n" + out));
        }
    }
}
