// SPDX-License-Identifier: Apache-2.0
// In a code cache of 2 MB far more code is made than it has room for, of classes that are dropped: it is freed, its place is used again, and
// methods are compiled to the end.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:CompileThresholdScaling=0.02 -XX:InitialCodeCacheSize=2m -XX:ReservedCodeCacheSize=2m -Xmx64m
// @modes asan stress
// @only pellucid
// @timeout 180
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.function.IntUnaryOperator;
import javax.management.MBeanServer;
import javax.management.ObjectName;

public class FreedCode {
    public interface Task { int run(int n); }

    public static class Work implements Task {
        public int run(int n) {
            IntUnaryOperator more = k -> k * n + many(k) % 1000;
            int sum = 0;
            for (int i = 0; i < 4; i++)
                sum += more.applyAsInt(i) ^ some(n, i);
            return sum;
        }
        static int many(int n) {
            int[] all = new int[16];
            for (int i = 0; i < 16; i++)
                all[i] = i * n + (i > 0 ? all[i - 1] : 0);
            return all[n & 15] + all[15 - (n & 15)];
        }
        static int some(int n, int k) {
            String s = "some" + n;
            StringBuilder b = new StringBuilder();
            for (int i = 0; i < s.length(); i++)
                b.append(s.charAt(s.length() - 1 - i)).append(k);
            return b.toString().hashCode();
        }
    }

    static class Again extends ClassLoader {
        final byte[] bytes;
        Again(byte[] bytes) { this.bytes = bytes; }
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("FreedCode$Work"))
                return super.loadClass(name, resolve);
            Class<?> there = findLoadedClass(name);
            return there != null ? there : defineClass(name, bytes, 0, bytes.length);
        }
    }

    static Task last; // its class stays until the next one

    static int deploy(byte[] bytes, int turn) throws Exception {
        Task t = last = (Task) new Again(bytes).loadClass("FreedCode$Work").getDeclaredConstructor().newInstance();
        int sum = turn;
        for (int i = 0; i < 200; i++)
            sum = sum * 31 + t.run(i);
        return sum;
    }

    static String ask(String what) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        return (String) server.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), what, null, null);
    }

    public static void main(String[] args) throws Exception {
        int turns = args.length > 0 ? Integer.parseInt(args[0]) : 400;
        byte[] bytes;
        try (InputStream in = FreedCode.class.getResourceAsStream("FreedCode$Work.class")) {
            bytes = in.readAllBytes();
        }
        long sum = 0;
        for (int turn = 0; turn < turns; turn++) {
            sum += deploy(bytes, turn);
            if (turn % 20 == 19)
                System.gc();
        }
        sum += deploy(bytes, turns);
        System.out.println("sum " + sum);
        System.out.println("compiled at the end: " + ask("compilerCodelist").contains("FreedCode$Work"));
        if (args.length > 0)
            System.out.println(ask("compilerCodecache"));
    }
}
