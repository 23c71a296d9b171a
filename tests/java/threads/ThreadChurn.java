// SPDX-License-Identifier: Apache-2.0
// Threads that end give back all that they had: thousands of short ones, which each call through interfaces, throw and wait, leave the
// process no larger (the limit is far above what noise does, and far below one page for each thread).
// A small heap, all of it touched before: its pages are not what is measured.
// @flags -Xmx24m -Xmn4m
// @not asan the sanitizer keeps what was freed
import java.nio.file.*;
import java.util.*;

public class ThreadChurn {
    static final int ROUND = 4000, LIMIT_KB = 12000;
    static int done;

    static long residentKb() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IllegalStateException("no VmRSS");
    }

    static void work(int i) {
        List<Integer> list = new ArrayList<>(List.of(i, 2, 3));
        Map<String, Integer> map = new TreeMap<>();
        for (int x : list) {
            map.put("k" + x, x);
        }
        try {
            list.get(map.size() + i);
        } catch (IndexOutOfBoundsException e) {
            synchronized (ThreadChurn.class) {
                done++;
                ThreadChurn.class.notifyAll();
            }
        }
    }

    static void round() throws Exception {
        for (int i = 0; i < ROUND; i++) {
            int n = i;
            Thread t = new Thread(() -> work(n));
            t.start();
            t.join();
        }
        System.gc();
    }

    static void touchHeap() {
        byte[][] blocks = new byte[220][];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = new byte[1 << 16];
        }
    }

    public static void main(String[] args) throws Exception {
        touchHeap();
        round();
        long before = residentKb();
        round();
        long grown = residentKb() - before;
        System.out.println(done + " threads, " + (grown < LIMIT_KB ? "no growth" : "grown by " + grown + " kB"));
    }
}
