// SPDX-License-Identifier: Apache-2.0
// Compiled code keeps no loader: classes whose methods were compiled, or that the code of others names, are unloaded, and what runs afterwards is right.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:CompileThresholdScaling=0.05 -Xmx32m
// @modes stress
// @timeout 180
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

public class Unload {
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
            IntUnaryOperator twice = k -> k * 2;
            Object o = Helper.make(n);
            int sum = o instanceof Helper ? ((Helper) o).own : 0;
            for (int i = 0; i < 5; i++)
                sum += twice.applyAsInt(i) + "constant".length() + Helper.kept[i];
            return sum;
        }
    }

    // Defines Work, Helper and what they have inside again.
    static class Again extends ClassLoader {
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("Unload$Work") && !name.startsWith("Unload$Helper"))
                return super.loadClass(name, resolve);
            Class<?> there = findLoadedClass(name);
            if (there != null)
                return there;
            try (InputStream in = Unload.class.getResourceAsStream(name + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    // Stays, and is compiled when all that it calls belongs to one loader.
    static int drive(Task t, int n) { return t.run(n) + 1; }

    static int deploy(List<WeakReference<ClassLoader>> loaders, int turn) throws Exception {
        Again loader = new Again();
        loaders.add(new WeakReference<>(loader));
        Task t = (Task) loader.loadClass("Unload$Work").getDeclaredConstructor().newInstance();
        int sum = turn;
        for (int i = 0; i < 200; i++)
            sum += drive(t, i);
        return sum;
    }

    static long left(List<WeakReference<ClassLoader>> loaders) {
        return loaders.stream().filter(r -> r.get() != null).count();
    }

    public static void main(String[] args) throws Exception {
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        long sum = 0;
        for (int turn = 0; turn < 40; turn++) {
            sum += deploy(loaders, turn);
            if (turn % 10 == 9)
                System.gc();
        }
        for (int i = 0; i < 50 && left(loaders) > 0; i++)
            System.gc();
        System.out.println(sum + ", loaders left: " + left(loaders));
    }
}
