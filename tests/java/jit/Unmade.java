// SPDX-License-Identifier: Apache-2.0
// Objects that nobody sees are not made by compiled code; where somebody looks after all, each is there, once, with what its fields hold:
// in a frame that is deoptimized, in one that an exception leaves, in loops, behind branches, in callers of inlined methods.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:ProfileThreshold=1 -XX:CompileThresholdScaling=0.02
// @quick
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Unmade {
    static class Point {
        int x;
        long y;
        double z;
        float w;
        byte b;
        short s;
        char c;
        boolean t;
        Object o;
        Point(int x, Object o) { this.x = x; y = x * 3L; z = x / 2.0; w = x; b = (byte) x; s = (short) (x * 77); c = (char) (x * 99); t = (x & 1) == 0; this.o = o; }
        long sum() { return x + y + (long) z + (long) w + b + s + c + (t ? 1 : 0) + (o == null ? 0 : o.hashCode()); }
    }
    static class Below extends Point {
        int more;
        Below(int x) { super(x, null); more = x + 1; }
    }

    static long plain(int i) {
        return new Point(i, "text").sum();
    }

    static long branches(int i) {
        Point p = new Point(i, null);
        if ((i & 3) == 1)
            p.x = 100;
        else if ((i & 3) == 2)
            p.y = i;
        return p.sum();
    }

    static long loop(int n) {
        Point p = new Point(0, null);
        for (int i = 0; i < n; i++) {
            p.x += i;
            if (p.x % 3 == 0)
                p.y++;
            p.b += 7;
            p.t = !p.t;
        }
        return p.sum();
    }

    static long inLoop(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            Below p = new Below(i);
            p.more *= 2;
            sum += p.sum() + p.more;
        }
        return sum;
    }

    static int tests(int i) {
        Object o = new Below(i);
        int result = 0;
        if (o instanceof Point)
            result += 1;
        if (o instanceof Runnable)
            result += 10;
        if (o.getClass() == Below.class)
            result += 100;
        return result + ((Point) o).x;
    }

    static Object kept; // what escapes, and where it does so seldom

    static long seldom(int i, boolean keep) {
        Point p = new Point(i, "seldom"), q = p;
        Point other = new Point(i + 1, p.o);
        p.x = 5;
        if (keep)
            kept = q;
        if (keep)
            other.x = p == kept && kept == q ? 1000 : -1000;
        return p.sum() + other.sum();
    }

    static long divides(int i, int by) {
        Point p = new Point(i, null);
        try {
            p.x = 77;
            p.x = i / by;
            p.y = 1;
        } catch (ArithmeticException e) {
            p.z = 4;
        }
        return p.sum();
    }

    static int calls(int i) {
        Point p = new Point(i, "calls");
        for (int k = 0; k < 3; k++)
            p.x += notInlined(i);
        return p.x;
    }

    static int depth;
    static int notInlined(int i) {
        if (depth++ > 1 << 30)
            return calls(i) + calls(i + 1) + calls(i + 2) + calls(i + 3);
        int sum = 0;
        for (int k = 0; k < 20; k++)
            sum += (i * 31 + k) % 7 - sum / 3 * 2 + (sum ^ k) % 5 - (sum | 1) / 2;
        for (int k = 0; k < 20; k++)
            sum += (i * 37 + k) % 9 - sum / 5 * 2 + (sum ^ k) % 3 - (sum | 1) / 4;
        return sum & 15;
    }

    static int list(List<Integer> list) {
        int sum = 0;
        for (Integer i : list)
            sum += i;
        return sum;
    }

    static int map(Map<String, Integer> map) {
        int sum = 0;
        for (Map.Entry<String, Integer> e : map.entrySet())
            sum += e.getKey().length() * e.getValue();
        return sum;
    }

    // Boxes of small values are the old ones, of others new ones, each its own.
    static int boxes(int i, boolean looks) {
        Integer a = i, b = i, c = i + 1;
        Long l = 3L * i;
        Character d = (char) (i & 255);
        Short s = (short) i;
        Object same = a;
        int sum = a + b + c + (int) (long) l + d + s;
        if (looks) {
            kept = new Object[] {a, b, c, l, d, s, same};
            sum = (a == b ? 1 : 0) + (same == a ? 2 : 0) + (c == Integer.valueOf(i + 1) ? 4 : 0) + (l == Long.valueOf(3L * i) ? 8 : 0)
                + (d == Character.valueOf((char) (i & 255)) ? 16 : 0) + (s == Short.valueOf((short) i) ? 32 : 0);
        }
        return sum;
    }

    static int boxedLoop(int n) {
        Integer sum = n;
        for (int i = 0; i < n; i++)
            sum += i;
        return sum;
    }

    static class Guarded {
        int n;
        synchronized int add(int i) { return n += i; }
    }
    static int locked(int i) {
        Guarded g = new Guarded();
        g.add(i);
        synchronized (g) {
            g.n++;
        }
        return g.add(i);
    }

    static class Finalized {
        int n;
        protected void finalize() { }
    }
    static int finalized(int i) {
        Finalized f = new Finalized();
        f.n = i;
        return f.n;
    }

    public static void main(String[] args) {
        long sum = 0;
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3, 4, 5));
        Map<String, Integer> map = new HashMap<>(Map.of("one", 1, "three", 3, "eleven", 11));
        for (int i = 0; i < 3000; i++) {
            sum += plain(i) + branches(i) + loop(i % 20) + inLoop(i % 9) + tests(i) + seldom(i, false) + divides(i, i % 5 + 1) + calls(i) + list(list) + map(map) + locked(i)
                + finalized(i) + boxes(i, false) + boxedLoop(i % 50);
        }
        System.out.println(sum);
        System.out.println(seldom(9, true) + " " + ((Point) kept).sum() + " " + seldom(10, false));
        for (int i : new int[] {0, 1, -128, -129, 42, 43, 126, 127, 128, 200, 1000, -70000})
            System.out.println(i + " " + boxes(i, true) + " " + java.util.Arrays.toString((Object[]) kept));
        System.out.println(divides(9, 0) + " " + divides(9, 1));
        try {
            list.add(6);
            for (Integer i : list)
                list.remove(i);
        } catch (java.util.ConcurrentModificationException e) {
            System.out.println("modified");
        }
    }
}
