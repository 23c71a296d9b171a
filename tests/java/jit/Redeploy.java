// SPDX-License-Identifier: Apache-2.0
// An application is deployed and dropped again and again: its lambdas are inlined into code of java.util, which stays. All its loaders go.
// With a number as argument it is deployed so often, and says what memory the process has.
// @flags -XX:CompileThresholdScaling=0.1 -Xmx64m
// @modes stress
// @timeout 180
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

public class Redeploy {
    public interface Task { long run(int n); }
    public static class App implements Task {
        final List<Integer> list = new ArrayList<>();
        final Map<Integer, String> map = new HashMap<>();
        long sum;
        public long run(int n) {
            for (int i = 0; i < 200; i++) list.add(i * n);
            list.forEach(x -> sum += x);
            list.replaceAll(x -> x + 1);
            list.removeIf(x -> x % 3 == 0);
            for (int x : list) map.computeIfAbsent(x & 31, k -> "v" + k);
            map.forEach((k, v) -> sum += k + v.length());
            sum += list.stream().mapToInt(x -> x).filter(x -> x > 3).sum();
            list.sort((a, b) -> b - a);
            list.clear();
            return sum;
        }
    }
    static class Again extends ClassLoader {
        final byte[] bytes;
        Again(byte[] b) { bytes = b; }
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("Redeploy$App")) return super.loadClass(name, resolve);
            Class<?> there = findLoadedClass(name);
            return there != null ? there : defineClass(name, bytes, 0, bytes.length);
        }
    }
    static long deploy(byte[] bytes, List<WeakReference<ClassLoader>> loaders, int turn) throws Exception {
        Again l = new Again(bytes);
        loaders.add(new WeakReference<>(l));
        Task t = (Task) l.loadClass("Redeploy$App").getDeclaredConstructor().newInstance();
        long sum = turn;
        for (int i = 0; i < 40; i++) sum += t.run(i);
        return sum;
    }
    static long left(List<WeakReference<ClassLoader>> ls) { return ls.stream().filter(r -> r.get() != null).count(); }
    static String rss() throws Exception {
        for (String s : java.nio.file.Files.readAllLines(java.nio.file.Path.of("/proc/self/status"))) if (s.startsWith("VmRSS")) return s.replaceAll("\\s+", " ");
        return "";
    }
    public static void main(String[] a) throws Exception {
        int turns = a.length > 0 ? Integer.parseInt(a[0]) : 60;
        byte[] bytes;
        try (InputStream in = Redeploy.class.getResourceAsStream("Redeploy$App.class")) { bytes = in.readAllBytes(); }
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        long sum = 0;
        for (int turn = 0; turn < turns; turn++) {
            sum += deploy(bytes, loaders, turn);
            if (turn % 20 == 19) System.gc();
            if (a.length > 0 && turn % (turns / 10) == turns / 10 - 1) {
                long code = 0;
                for (var p : java.lang.management.ManagementFactory.getMemoryPoolMXBeans()) if (p.getName().contains("Code")) code += p.getUsage().getUsed();
                System.out.println(turn + 1 + ": " + rss() + " code " + code / 1024 + " KB, loaders left " + left(loaders)
                    + ", loaded " + java.lang.management.ManagementFactory.getClassLoadingMXBean().getLoadedClassCount());
            }
        }
        for (int i = 0; i < 50 && left(loaders) > 0; i++) { System.gc(); Thread.sleep(20); }
        System.out.println(sum + ", loaders left: " + left(loaders));
    }
}
