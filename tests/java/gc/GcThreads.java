// SPDX-License-Identifier: Apache-2.0
// Several threads allocate and share while collections run; frames hold references in locals, stacks and natives.
// @flags -Xmx64m
// @quick
import java.util.*;
import java.util.concurrent.*;

public class GcThreads {
    static String build(int d, String a, Object o, long l, double x) {
        String b = a + d;
        if (d == 0) {
            return b + o + l + (int) x;
        }
        Object[] keep = {b, o, new int[] {d}};
        String r = build(d - 1, b, o, l + 1, x + 1);
        if (((int[]) keep[2])[0] != d || keep[0] != b || keep[1] != o) {
            throw new Error("lost");
        }
        return r;
    }

    public static void main(String[] args) throws Exception {
        ExecutorService ex = Executors.newFixedThreadPool(4);
        ConcurrentHashMap<String, Integer> shared = new ConcurrentHashMap<>();
        List<Future<Integer>> fs = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int k = t;
            fs.add(ex.submit(() -> {
                int h = 0;
                for (int i = 0; i < 60; i++) {
                    String s = build(8, "t" + k, i, 5L, 2.0);
                    h += s.hashCode();
                    shared.merge("k" + i % 10, 1, Integer::sum);
                    if (i % 30 == 0) {
                        System.gc();
                    }
                }
                return h;
            }));
        }
        int i = 0;
        for (Future<Integer> f : fs) {
            System.out.println(i++ + " " + f.get());
        }
        ex.shutdown();
        System.out.println(new TreeMap<>(shared));
    }
}
