// SPDX-License-Identifier: Apache-2.0
// Frames that are left for the interpreter at each third state, with objects that are made late: behind a loop whose first turn stands before
// it, locals have the values that they have there; an object that was made late may be made later still.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitAll -XX:JitDeoptEvery=3
public class EscapesLeft {
    static final class Node {
        int value;
        long more;
        Node(int value) { this.value = value; more = value * 5L; }
        long sum() { return value + more; }
    }
    static final class Wide {
        long a, b, c, d, e, f, g, h, i, j, k, l;
        Object held, other;
        Wide(int x) { a = x; b = x + 1; c = x + 2; l = x * 9; }
    }

    static Object kept;
    static int shown;

    static void show(Object o) {
        kept = o;
        shown++;
    }

    static long behindLoop(int i, int start, Node node, int end) {
        Node unseen = new Node(i), n = new Node(i);
        int x = i * 3, u = start, v = end;
        while (true) {
            int next = x * 3 + node.value;
            if (u == v)
                break;
            x = next;
            int w = node.value;
            u = w;
            v = w;
        }
        int y = 1, z = 2;
        u = 5;
        v = 6;
        unseen.value += x;
        if (i % 5 == 1)
            return x + n.value + unseen.value;
        if (i % 7 == 0) {
            kept = n;
            y = 3;
        }
        n.value += 3;
        return n.sum() * 100000 + x * 10 + (kept == n ? 1 : 0) + unseen.value + y + z + u + v;
    }

    // With more fields than are looked at in one go.
    static long later(int i) {
        Node n = new Node(i);
        Wide q0 = new Wide(i), q1 = new Wide(i + 1), q2 = new Wide(i + 2), q3 = new Wide(i + 3);
        if (i % 2 == 0)
            return n.value + q0.a + q1.b + q2.c + q3.l;
        Wide m = new Wide(i);
        m.held = n;
        if (i % 3 == 0)
            return m.a + n.more;
        n.value++;
        if (i % 40 == 5) {
            show(q0);
            show(q1);
            show(q2);
            show(q3);
            return 5;
        }
        show(m);
        n.more += 2;
        shown += n.value / (i % 50 + 1);
        return n.value * 3 + n.more + (m.held == n ? 1 : 0) + (((Wide) kept).held == n ? 2 : 0) + (kept == m ? 4 : 0) + m.l + q0.a;
    }

    public static void main(String[] args) {
        long sum = 0;
        Node node = new Node(7);
        for (int i = 0; i < 6000; i++) {
            sum = sum * 31 + behindLoop(i, i * 5 + 1, node, i % 3 == 0 ? i * 5 + 1 : 1);
            sum = sum * 31 + later(i);
            if (i % 300 == 0)
                System.out.println(i + " " + sum + " " + shown);
        }
        System.out.println(sum + " " + shown + " " + (kept == null));
    }
}
