// SPDX-License-Identifier: Apache-2.0
// Classes lose their loader and the world is stopped again and again while their methods wait for the compiler, or are with it: nothing that it
// still reads is freed, all loaders go.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:CompileThresholdScaling=0.02 -Xmx48m
// @modes asan stress
// @timeout 180
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

public class UnloadAside {
    public interface Task { int run(int n); }

    public static class Helper {
        static int[] kept = new int[8];
        int own;
        static Helper make(int n) {
            Helper h = new Helper();
            h.own = n;
            kept[n & 7] += n;
            return h;
        }
    }

    public static class Work implements Task {
        public int run(int n) {
            int sum = 0;
            for (int i = 0; i < 3; i++) {
                sum += first(n + i);
                sum ^= second(n * i);
                sum += third(n - i);
            }
            return sum;
        }
        static int first(int n) {
            IntUnaryOperator twice = k -> k * 2 + Helper.kept[k & 7];
            return twice.applyAsInt(n) + "first".length() + Helper.make(n).own;
        }
        static int second(int n) {
            switch (n & 7) {
            case 0: return first(n) + 1;
            case 1: return first(n + 1) * 2;
            case 2: return third(n) - 3;
            case 3: return third(n + 2) ^ 4;
            case 4: return Helper.make(n).own + "second".length();
            default: return n;
            }
        }
        static int third(int n) {
            Object o = (n & 1) == 0 ? Helper.make(n) : "third";
            int[] all = new int[(n & 15) + 1];
            for (int i = 0; i < all.length; i++)
                all[i] = o instanceof Helper ? ((Helper) o).own + i : ((String) o).length();
            return all[n & 15] + all[0];
        }
    }

    // Defines Work and Helper again.
    static class Again extends ClassLoader {
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("UnloadAside$Work") && !name.startsWith("UnloadAside$Helper"))
                return super.loadClass(name, resolve);
            Class<?> there = findLoadedClass(name);
            if (there != null)
                return there;
            try (InputStream in = UnloadAside.class.getResourceAsStream(name + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static volatile boolean done;

    static int deploy(List<WeakReference<ClassLoader>> loaders, int turn) throws Exception {
        Again loader = new Again();
        loaders.add(new WeakReference<>(loader));
        Task t = (Task) loader.loadClass("UnloadAside$Work").getDeclaredConstructor().newInstance();
        int sum = turn;
        for (int i = 0; i < 60; i++)
            sum = sum * 31 + t.run(i);
        return sum;
    }

    static long left(List<WeakReference<ClassLoader>> loaders) {
        return loaders.stream().filter(r -> r.get() != null).count();
    }

    public static void main(String[] args) throws Exception {
        int turns = args.length > 0 ? Integer.parseInt(args[0]) : 120;
        Thread collector = new Thread(() -> {
            while (!done)
                System.gc();
        });
        collector.start();
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        long sum = 0;
        for (int turn = 0; turn < turns; turn++)
            sum += deploy(loaders, turn);
        for (int i = 0; i < 500 && left(loaders) > 0; i++)
            Thread.sleep(10);
        done = true;
        collector.join();
        System.out.println(sum + ", loaders left: " + left(loaders));
    }
}
