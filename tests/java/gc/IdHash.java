// SPDX-License-Identifier: Apache-2.0
// Identity hashes stay while objects move, grow old, are locked and cloned.
// @quick
import java.util.*;

public class IdHash {
    public static void main(String[] args) throws Exception {
        int n = 2000;
        Object[] os = new Object[n];
        int[] hs = new int[n];
        for (int i = 0; i < n; i++) {
            os[i] = i % 4 == 0 ? new Object() : i % 4 == 1 ? new int[i % 7] : i % 4 == 2 ? new Object[3] : new long[] {i};
        }
        for (int i = 0; i < n; i++) {
            hs[i] = System.identityHashCode(os[i]);
        }
        IdentityHashMap<Object, Integer> m = new IdentityHashMap<>();
        for (int i = 0; i < n; i++) {
            m.put(os[i], i);
        }
        int bad = 0;
        for (int r = 0; r < 3; r++) {
            byte[][] junk = new byte[100][];
            for (int i = 0; i < 1000; i++) {
                junk[i % 100] = new byte[500];
            }
            System.gc();
            for (int i = 0; i < n; i++) {
                if (i % 3 == r) {
                    synchronized (os[i]) {
                        if (hs[i] != System.identityHashCode(os[i])) {
                            bad++;
                        }
                    }
                }
                if (hs[i] != System.identityHashCode(os[i]) || m.get(os[i]) != i) {
                    bad++;
                }
            }
            Collections.shuffle(Arrays.asList(new Integer[] {1, 2, 3}), new Random(r));
        }
        Set<Integer> distinct = new HashSet<>();
        for (int h : hs) {
            distinct.add(h);
        }
        System.out.println(bad + " " + (distinct.size() > n - 10));
        Object[] c = (Object[]) os[2];
        System.out.println(System.identityHashCode(c.clone()) != hs[2]);
        System.out.println(System.identityHashCode(null) + " " + (new Object().hashCode() > 0));
        Object locked = new Object();
        int[] h = new int[2];
        synchronized (locked) {
            Thread t = new Thread(() -> h[0] = locked.hashCode());
            t.start();
            t.join();
            h[1] = locked.hashCode();
            System.gc();
            System.out.println(h[0] == h[1] && h[0] == locked.hashCode());
        }
        System.out.println(h[0] == locked.hashCode());
    }
}
