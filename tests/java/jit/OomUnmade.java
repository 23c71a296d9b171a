// SPDX-License-Identifier: Apache-2.0
// An OutOfMemoryError that is caught where compiled code has not made an object yet: there is room for that beyond the full heap. HotSpot
// leaves the frame with "failed reallocation of scalar replaced objects".
// @quick
// @only pellucid
// @flags -Xmx20m
import java.util.LinkedList;
import java.util.List;

public class OomUnmade {
    static final int ROUNDS = 10;

    static class Node {
        Node next;
        final Node before;
        final Object value;
        Node(Node before, Object value) {
            this.before = before;
            this.value = value;
        }
    }

    static class Chain {
        Node first, last;
        void add(Object value) {
            Node old = last, made = new Node(old, value);
            last = made;
            if (old == null)
                first = made;
            else
                old.next = made;
        }
    }

    static String own() {
        Chain chain = new Chain();
        try {
            for (int i = 0;; i++)
                chain.add(i);
        } catch (OutOfMemoryError e) {
            chain = null;
            return e.getMessage();
        }
    }

    static String library() {
        List<Integer> list = new LinkedList<>();
        try {
            for (int i = 0;; i++)
                list.add(i);
        } catch (OutOfMemoryError e) {
            list = null;
            return e.getMessage();
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < ROUNDS; i++)
            System.out.println(own() + ", " + library());
    }
}
