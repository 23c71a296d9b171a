// SPDX-License-Identifier: Apache-2.0
// Small programs that each strain one thing. `Bench <name> [repeats]` runs one of them and prints its name, the milliseconds
// of CPU time of its fastest repeat (all threads), a checksum that must be the same on every VM, and the milliseconds of its first repeat.
// `Bench hello` does nothing; `Bench list` names them.
import java.io.IOException;
import java.nio.file.*;
import java.util.*;
import java.util.function.*;
import java.util.zip.Adler32;

public class Bench {
    interface Shape {
        int area(int k);
    }
    static class Square implements Shape {
        int side = 3;
        public int area(int k) {
            return side * side + k;
        }
    }
    static class Circle implements Shape {
        int radius = 2;
        public int area(int k) {
            return 3 * radius * radius - k;
        }
    }
    static class Wide extends Square {
        int width = 5;
        @Override
        public int area(int k) {
            return side * width + k;
        }
    }
    static class Cell {
        int a;
        long b;
        double c;
        Cell next;
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static long calls() {
        return fib(30);
    }

    static long loops() {
        int a = 1;
        long b = 2;
        for (int i = 0; i < 3000; i++) {
            for (int j = 0; j < 6000; j++) {
                a = a * 31 + j ^ a >>> 7;
                b += a & i;
            }
        }
        return a + b;
    }

    static long fields() {
        Cell x = new Cell();
        Cell y = new Cell();
        x.next = y;
        y.next = x;
        for (int i = 0; i < 6000000; i++) {
            x.a += i;
            x.b += x.a;
            x.next.c += 0.5;
            y.a = x.a - y.a;
            x = x.next;
            y = x.next;
        }
        return x.a + x.b + (long) x.c + y.a + y.b;
    }

    static long sieve() {
        int n = 3000000;
        boolean[] no = new boolean[n];
        int count = 0;
        for (int i = 2; i < n; i++) {
            if (!no[i]) {
                count++;
                for (long j = (long) i * i; j < n; j += i) {
                    no[(int) j] = true;
                }
            }
        }
        return count;
    }

    static long virtuals() {
        Square[] s = {new Square(), new Wide(), new Square(), new Wide()};
        long r = 0;
        for (int i = 0; i < 1200000; i++) {
            r += s[i & 3].area(i);
        }
        return r;
    }

    static long interfaces() {
        Shape[] s = {new Square(), new Circle(), new Wide(), new Circle()};
        long r = 0;
        for (int i = 0; i < 1500000; i++) {
            r += s[i & 3].area(i);
        }
        return r;
    }

    static long allocation() {
        Cell keep = null;
        long r = 0;
        for (int i = 0; i < 1000000; i++) {
            Cell c = new Cell();
            c.a = i;
            if ((i & 1023) == 0) {
                c.next = keep;
                keep = c;
            }
            r += c.a;
        }
        for (Cell c = keep; c != null; c = c.next) {
            r += c.a;
        }
        return r;
    }

    static long strings() {
        long r = 0;
        for (int i = 0; i < 20000; i++) {
            String s = "k" + i + ":" + (i * 7L);
            StringBuilder sb = new StringBuilder();
            sb.append(s).append('-').append(i & 15);
            r += sb.toString().hashCode() + s.indexOf(':') + s.substring(1, 3).length() + (s.equals("k77:539") ? 1 : 0);
        }
        return r;
    }

    static int thrower(int i, int depth) {
        if (depth == 0) {
            throw i % 2 == 0 ? new IllegalStateException() : new IllegalArgumentException();
        }
        return thrower(i, depth - 1) + 1;
    }

    static long exceptions() {
        long r = 0;
        for (int i = 0; i < 60000; i++) {
            try {
                r += thrower(i, 5);
            } catch (IllegalStateException e) {
                r += 2;
            } catch (IllegalArgumentException e) {
                r += 3;
            } finally {
                r++;
            }
        }
        return r;
    }

    static int locked;
    static synchronized void inc() {
        locked++;
    }

    static long monitors() {
        Object o = new Object();
        locked = 0;
        for (int i = 0; i < 2000000; i++) {
            inc();
            synchronized (o) {
                locked += 2;
            }
        }
        return locked;
    }

    static long lambdas() {
        IntUnaryOperator f = x -> x + 1;
        int[] base = {5};
        IntUnaryOperator g = x -> x ^ base[0];
        Function<Integer, Integer> h = Math::negateExact;
        long r = 0;
        for (int i = 0; i < 120000; i++) {
            r += f.andThen(g).applyAsInt(i) + h.apply(i & 63);
        }
        return r;
    }

    static long maps() {
        HashMap<Integer, Integer> m = new HashMap<>();
        for (int i = 0; i < 100000; i++) {
            m.merge(i * 31 % 5003, 1, Integer::sum);
        }
        long r = 0;
        for (Map.Entry<Integer, Integer> e : m.entrySet()) {
            r += e.getKey() * e.getValue();
        }
        ArrayList<Integer> l = new ArrayList<>(m.keySet());
        Collections.sort(l, Comparator.reverseOrder());
        return r + l.get(10) + m.size();
    }

    static long matrix() {
        int n = 200;
        double[][] a = new double[n][n];
        double[][] b = new double[n][n];
        double[][] c = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                a[i][j] = i + j;
                b[i][j] = i - j;
            }
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double s = 0;
                for (int k = 0; k < n; k++) {
                    s += a[i][k] * b[k][j];
                }
                c[i][j] = s;
            }
        }
        return (long) c[17][90];
    }

    static long copies() {
        int[] a = new int[20000];
        Object[] o = new Object[20000];
        long r = 0;
        for (int i = 0; i < 3000; i++) {
            System.arraycopy(a, 0, a, 7, 19000);
            System.arraycopy(o, 5, o, 0, 19000);
            a[i] = i;
            r += a[i + 7] + a.clone().length;
        }
        return r;
    }

    // Adler32.update(int) is a native method of a few instructions, and no VM has an intrinsic for it.
    static long natives() {
        Adler32 sum = new Adler32();
        for (int i = 0; i < 3_000_000; i++) {
            sum.update(i);
        }
        return sum.getValue();
    }

    // Nanoseconds of CPU time by thread, when it was last seen: threads of a compiler come and go.
    private static final Map<Path, Long> used = new HashMap<>();

    // Nanoseconds of CPU time of the process's threads. The kernel brings a thread's figure up to date when it leaves
    // the processor, hence the sleep.
    static long cpuNanos() throws IOException, InterruptedException {
        Thread.sleep(1);
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                try {
                    used.put(task, Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0]));
                } catch (IOException e) { // it has ended meanwhile, and counts as it was
                    continue;
                }
            }
        }
        return used.values().stream().mapToLong(Long::longValue).sum();
    }

    interface Operation {
        long run() throws Throwable;
    }

    // Does it so many times, and prints what is said above.
    static void measure(String name, int repeats, Operation operation) throws Throwable {
        long best = Long.MAX_VALUE;
        long first = 0;
        long check = 0;
        cpuNanos();
        for (int i = 0; i < repeats; i++) {
            long t = cpuNanos();
            check = operation.run();
            long took = cpuNanos() - t;
            best = Math.min(best, took);
            first = i == 0 ? took : first;
        }
        System.out.printf(Locale.ROOT, "%s %.2f %d %.2f%n", name, best / 1e6, check, first / 1e6);
    }

    public static void main(String[] args) throws Throwable {
        Map<String, Operation> all = new LinkedHashMap<>();
        String which = args.length > 0 ? args[0] : "list";
        if (which.equals("hello")) {
            System.out.println("Hello, world");
            return;
        }
        all.put("calls", Bench::calls);
        all.put("loops", Bench::loops);
        all.put("fields", Bench::fields);
        all.put("sieve", Bench::sieve);
        all.put("matrix", Bench::matrix);
        all.put("virtuals", Bench::virtuals);
        all.put("interfaces", Bench::interfaces);
        all.put("allocation", Bench::allocation);
        all.put("strings", Bench::strings);
        all.put("maps", Bench::maps);
        all.put("exceptions", Bench::exceptions);
        all.put("monitors", Bench::monitors);
        all.put("lambdas", Bench::lambdas);
        all.put("copies", Bench::copies);
        all.put("natives", Bench::natives);
        if (which.equals("list")) {
            System.out.println(String.join(" ", all.keySet()));
            return;
        }
        int repeats = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        measure(which, repeats, all.get(which));
    }
}
