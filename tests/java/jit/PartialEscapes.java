// SPDX-License-Identifier: Apache-2.0
// Objects that only some paths let others see: each is made once, on such a path, with what its fields hold by then; where paths meet of
// which some have made it, all have. Frames that are deoptimized in between have it, in callers of inlined methods, too.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:ProfileThreshold=1 -XX:CompileThresholdScaling=0.02
// @quick
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

public class PartialEscapes {
    static final class Node {
        int value;
        long more;
        short small;
        boolean flag;
        Node next;
        Object other;
        Node(int value, Node next) { this.value = value; this.next = next; more = value * 3L; small = (short) (value * 1001); flag = (value & 1) == 0; }
        long sum() { return value + more + small + (flag ? 1 : 0) + (next == null || next == this ? 0 : next.sum()); }
    }
    static final class Fixed {
        final int a;
        final Object b;
        volatile int c;
        Fixed(int a, Object b) { this.a = a; this.b = b; c = a + 1; }
    }

    static Object kept, again;
    static Node[] nodes = new Node[8];
    static int shown;

    static void show(Object o) {
        kept = o;
        shown++;
    }

    static Node returned(int i) {
        Node n = new Node(i, null);
        n.value++;
        return n.value % 5 == 0 ? n : null;
    }

    // It is left early, without anybody having seen the object; where the other paths meet it is made.
    static long meeting(int i) {
        Node n = new Node(i, null);
        if (i % 7 == 0)
            return n.sum();
        if (i % 11 == 0)
            show(n);
        n.value += 2;
        if (i % 13 == 0)
            kept = n;
        return n.sum() + (kept == n ? 100 : 0);
    }

    static long inLoop(int count) {
        Node n = new Node(1, null);
        if (count == 3)
            return n.sum();
        for (int i = 0; i < count; i++) {
            n.value += i;
            if (i == 5)
                show(n);
            n.more ^= n.value;
        }
        return n.sum();
    }

    static Node list(int count) {
        Node first = null;
        for (int i = 0; i < count; i++) {
            Node n = new Node(i, first);
            if (n.value % 3 != 1)
                first = n;
            else
                n.more = 9;
        }
        return first;
    }

    static long thrown(int i) {
        Node n = new Node(i, null);
        try {
            n.value = 50;
            if (i % 9 == 0)
                throw new IllegalStateException("" + n.value);
            n.more = 12 / (i % 4);
            if (i % 5 == 0)
                return n.more;
            nodes[i % 11] = n; // out of bounds now and then
        } catch (IllegalStateException e) {
            return n.sum() + e.getMessage().length();
        } catch (RuntimeException e) {
            show(n);
            n.flag = !n.flag;
        }
        return n.sum() + (kept == n ? 7 : 0);
    }

    static long nested(int i) {
        Node inner = new Node(i, null), outer = new Node(i + 1, inner);
        outer.other = outer;
        if (i % 6 == 0)
            return inner.sum() + outer.sum();
        if (i % 8 == 0)
            show(outer);
        else if (i % 3 == 0)
            show(inner);
        inner.value += 4;
        return outer.sum() + (outer.next == inner ? 1 : 0) + (kept == inner ? 2 : 0) + (outer.other == outer ? 4 : 0);
    }

    static long ring(int i) {
        Node a = new Node(i, null), b = new Node(i, null);
        a.other = b;
        b.other = a;
        if (i % 4 == 0)
            show(b);
        return ((Node) a.other).value + ((Node) b.other).more;
    }

    static long chosen(int i) {
        Node n = new Node(i, null), m = i % 4 == 0 ? n : (Node) again;
        if (i % 10 == 0)
            again = n;
        return m == null ? -1 : m.value + (m == n ? 5 : 0);
    }

    static long fixed(int i) {
        Fixed f = new Fixed(i, i % 2 == 0 ? "even" : null);
        if (i % 5 == 1)
            return f.c;
        if (f.a % 3 == 0)
            show(f);
        f.c++;
        return f.a + f.c + (f.b == null ? 0 : 1);
    }

    // The caller's frame has the object, the inlined method shows it.
    static int within(Node n, int i) {
        if (i % 6 == 5)
            return n.value;
        if (i % 7 == 2)
            show(n);
        int sum = 0;
        for (int k = 0; k < 3; k++)
            sum += n.value / (i % 50 - k + 1000 * (i % 3 + 1) - (i == 2900 ? 1000 * (i % 3 + 1) : 0));
        return sum;
    }
    static long caller(int i) {
        Node n = new Node(i, null), m = n;
        int result;
        try {
            result = within(n, i);
        } catch (ArithmeticException e) {
            result = -1000 - (m == n ? 1 : 0);
        }
        return result + m.sum() + (kept == m ? 3 : 0);
    }

    static int lambdas(int i) {
        IntSupplier s = () -> i + 1;
        if (i % 3 == 0)
            return s.getAsInt();
        if (i % 16 == 0)
            show(s);
        return s.getAsInt() * 2;
    }

    static long elements(int i) {
        Node n = new Node(i, null);
        if (i % 3 == 0)
            return n.sum();
        if (i % 5 == 0)
            nodes[i & 7] = n;
        n.value = -n.value;
        Node there = nodes[i & 7];
        return n.sum() + (there == n ? 1000 : there == null ? 0 : there.value);
    }

    static synchronized long locked(int i) {
        Node n = new Node(i, null);
        synchronized (n) {
            n.value++;
        }
        if (i % 6 == 0)
            return n.sum();
        synchronized (nodes) {
            if (i % 7 == 0)
                show(n);
        }
        return n.sum();
    }

    static long stored(int i) {
        Node holder = new Node(i, null);
        Node held = new Node(i + 1, null);
        holder.next = held;
        Node read = holder.next;
        read.value = 8;
        if (i % 4 != 0)
            return read.sum() + holder.value;
        List<Object> list = new ArrayList<>();
        list.add(held);
        held.value = 3;
        return ((Node) list.get(0)).sum() + holder.next.value;
    }

    static long all(int i) {
        long sum = 0;
        Node n = returned(i);
        sum += n == null ? 1 : n.sum();
        sum = sum * 31 + meeting(i);
        sum = sum * 31 + inLoop(i % 9);
        n = list(i % 12);
        sum = sum * 31 + (n == null ? 2 : n.sum());
        sum = sum * 31 + thrown(i);
        sum = sum * 31 + nested(i);
        sum = sum * 31 + ring(i);
        sum = sum * 31 + chosen(i);
        sum = sum * 31 + fixed(i);
        sum = sum * 31 + caller(i);
        sum = sum * 31 + lambdas(i);
        sum = sum * 31 + elements(i);
        sum = sum * 31 + locked(i);
        return sum * 31 + stored(i);
    }

    static String what(Object o) {
        if (o instanceof Node n)
            return "node " + n.sum() + " " + n.flag + (n.other == o ? " itself" : n.other instanceof Node m ? " " + (m.other == o) : "");
        if (o instanceof Fixed f)
            return "fixed " + f.a + " " + f.b + " " + f.c;
        return o == null ? "null" : "lambda " + ((IntSupplier) o).getAsInt();
    }

    public static void main(String[] args) {
        long sum = 0;
        for (int i = 0; i < 3000; i++) {
            sum = sum * 17 + all(i);
            if (i % 97 == 0)
                System.out.println(sum + " " + shown + " " + what(kept) + ", " + what(again));
        }
        System.out.println(sum + " " + shown);
    }
}
