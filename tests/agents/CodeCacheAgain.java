// SPDX-License-Identifier: Apache-2.0
// A code cache that is full, then has code that is retired by redefinition: it is freed, and methods are compiled again.
// @agent ti_redefine
// @only pellucid
// @flags -XX:ReservedCodeCacheSize=2560k -XX:InitialCodeCacheSize=2496k
// @mask .*warning: .*
// @not jit-* its own flags say what is compiled
// @not compiled likewise
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

class Filler {
    static int a(int n, int[] x) {
        int s = 0;
        for (int i = 0; i < n; i++)
            s += x[i & 7] * (i % 3) + (i % 5 == 0 ? x[0] / (i + 1) : x[1] % (i + 2)) + Math.max(i, s) - Integer.bitCount(s ^ i);
        return s;
    }
    static long b(long n, long[] x) {
        long s = 0;
        for (int i = 0; i < n; i++)
            s = s * 31 + x[i & 3] / (i + 1) + x[(i + 1) & 3] % (i + 3) + Long.numberOfTrailingZeros(s + i) + Math.min(s, i);
        return s;
    }
    public static void run() {
        int[] x = new int[8];
        long[] y = new long[4];
        for (int i = 0; i < 3000; i++) {
            a(i & 15, x);
            b(i & 15, y);
        }
    }
}

public class CodeCacheAgain extends Redefiner {
    static class Own extends ClassLoader {
        Class<?> define(byte[] file) {
            return defineClass("Filler", file, 0, file.length);
        }
    }

    static String cache() throws Exception {
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(new javax.management.ObjectName("com.sun.management:type=DiagnosticCommand"),
            "compilerCodecache", new Object[0], new String[0]);
    }
    static boolean isFull() throws Exception {
        return cache().contains("not enough contiguous free space");
    }

    public static void main(String[] args) throws Exception {
        byte[] file = file("Filler");
        List<Class<?>> all = new ArrayList<>();
        while (!isFull() && all.size() < 6000) {
            for (int i = 0; i < 20; i++) {
                all.add(new Own().define(file));
                java.lang.reflect.Method run = all.get(all.size() - 1).getMethod("run");
                run.setAccessible(true);
                run.invoke(null);
            }
            Thread.sleep(1); // for the compiler's thread
        }
        System.out.println("full: " + isFull());
        for (Class<?> c : all)
            if (redefine(c, file) != 0)
                throw new IllegalStateException();
        boolean again = false;
        for (int i = 0; i < 120 && !again; i++) {
            if (args.length > 0)
                System.gc(); // without a thread of the compiler's, collections look
            Thread.sleep(args.length > 0 ? 1 : 250);
            again = !isFull();
        }
        System.out.println("compiles again: " + again);
    }
}
