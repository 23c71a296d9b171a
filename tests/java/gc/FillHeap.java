// SPDX-License-Identifier: Apache-2.0
// Fills the heap in several ways, catches OutOfMemoryError, frees, goes on; over and over.
// @flags -Xmx48m
// @timeout 120
import java.util.*;

public class FillHeap {
    static Object hold;

    static int fill(int size) {
        List<Object> l = new LinkedList<>();
        hold = l;
        try {
            while (true) {
                l.add(size == 0 ? new Object() : size < 0 ? (Object) new String[-size] : new byte[size]);
            }
        } catch (OutOfMemoryError e) {
            int n = l.size();
            hold = null;
            l = null;
            System.out.println(e.getMessage() + " " + (n > 0));
            return n;
        }
    }

    public static void main(String[] args) throws Exception {
        for (int size : new int[] {1 << 20, 1000, 0, -5000, 100000, 4 << 20, 37}) {
            fill(size);
            byte[] b = new byte[8 << 20];
            System.out.println("freed " + b.length);
        }
        try {
            System.out.println(new long[20 << 20].length);
        } catch (OutOfMemoryError e) {
            System.out.println(e.getMessage());
        }
        try {
            System.out.println(new int[Integer.MAX_VALUE].length);
        } catch (OutOfMemoryError e) {
            System.out.println(e.getMessage());
        }
        try {
            System.out.println(new Object[Integer.MAX_VALUE - 1].length);
        } catch (OutOfMemoryError e) {
            System.out.println(e.getMessage());
        }
        try {
            System.out.println(new int[1000][1000][1000].length);
        } catch (OutOfMemoryError e) {
            System.out.println(e.getMessage());
        }
        try {
            StringBuilder sb = new StringBuilder("xxxxxxxxxxxxxxxx");
            while (true) {
                sb.append(sb);
            }
        } catch (OutOfMemoryError e) {
            System.out.println("sb " + (e.getMessage() != null));
        }
        try {
            List<Object> l = new ArrayList<>();
            while (true) {
                l.add(((Object) new byte[1 << 20]).getClass().getMethod("hashCode"));
                l.add(new byte[100000].clone());
            }
        } catch (OutOfMemoryError e) {
            System.out.println("clone " + e.getMessage());
        }
        int[] hits = new int[4];
        Thread[] ts = new Thread[4];
        for (int i = 0; i < 4; i++) {
            int k = i;
            ts[i] = new Thread(() -> {
                List<byte[]> l = new ArrayList<>();
                try {
                    while (true) {
                        l.add(new byte[64 << 10]);
                    }
                } catch (OutOfMemoryError e) {
                    l = null;
                    hits[k] = 1;
                }
            });
            ts[i].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        System.out.println(Arrays.toString(hits));
        System.out.println(Runtime.getRuntime().maxMemory() <= 48 << 20);
        System.out.println("still " + new int[1000000].length);
    }
}
