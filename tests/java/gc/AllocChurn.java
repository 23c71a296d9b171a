// SPDX-License-Identifier: Apache-2.0
// A small allocation churn with live data of several shapes, checked after forced collections.
// @flags -Xmx32m
// @quick
import java.util.*;

public class AllocChurn {
    interface Shape {
        long sum();
    }
    static class A implements Shape {
        byte b;
        long l;
        A a;
        A(int i, A a) {
            b = (byte) i;
            l = i;
            this.a = a;
        }
        public long sum() {
            return b + l;
        }
    }
    static class B extends A {
        short s;
        Object o;
        double d;
        B(int i, A a) {
            super(i, a);
            s = (short) i;
            o = new int[] {i, i + 1};
            d = i;
        }
        public long sum() {
            return super.sum() + s + ((int[]) o)[1] + (long) d;
        }
    }

    public static void main(String[] args) {
        Map<Integer, Shape> m = new HashMap<>();
        List<String> strs = new ArrayList<>();
        Object[][] grid = new Object[20][];
        for (int i = 0; i < 3000; i++) {
            A prev = (A) m.get(i - 1);
            m.put(i, i % 2 == 0 ? new A(i, prev) : new B(i, prev));
            m.remove(i - 300);
            strs.add("s" + i);
            if (strs.size() > 100) {
                strs.subList(0, 50).clear();
            }
            grid[i % 20] = new Object[] {i, "g" + i, grid[(i + 7) % 20] == null ? null : grid[(i + 7) % 20][0]};
            if (i % 1000 == 0) {
                System.gc();
            }
            A x = (A) m.get(i);
            x.a = null;
        }
        long s = 0;
        for (Shape x : m.values()) {
            s += x.sum();
        }
        int h = 0;
        for (String x : strs) {
            h = h * 31 + x.hashCode();
        }
        System.out.println(m.size() + " " + s + " " + strs.size() + " " + h + " " + Arrays.deepHashCode(grid));
    }
}
