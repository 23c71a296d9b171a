// SPDX-License-Identifier: Apache-2.0
// The graph of objects: references with their kinds and indices, values of fields, arrays and strings, filters, roots on the stack.
// @agent ti_references
// @quick
public class References {
    static native void tag(Object o, long tag);

    static native void follow(Object from, Class<?> klass, int filter);

    static native void values();

    static native void abort();

    static native void old(Object from, Class<?> klass);

    interface Limits {
        int LOW = Integer.parseInt("1"), HIGH = Integer.parseInt("9");
    }

    static class Node implements Limits {
        static Object shared;
        static long counter = 77;
        int number;
        Object left;
        long wide = 1L << 40;
        Object right;
        boolean flag = true;

        Node(int number) {
            this.number = number;
        }
    }

    static class Leaf extends Node {
        static Object own;
        double weight = 2.5;
        Object extra;
        byte small = -4;

        Leaf(int number) {
            super(number);
        }
    }

    // A loop here, and not in the frame that is looked at: HotSpot compiles what loops for long,
    // and compiled frames report other locals.
    static void awaitJoin(Thread thread) {
        while (thread.getState() != Thread.State.WAITING)
            Thread.onSpinWait();
    }

    static void inside(Object onStack) {
        Object another = onStack;
        follow(null, null, 0);
        abort();
        if (another != onStack)
            System.out.println("never");
    }

    public static void main(String[] args) {
        Node root = new Node(1);
        Leaf leaf = new Leaf(2);
        Node hidden = new Node(3);
        Object[] array = {leaf, null, root};
        int[] numbers = {1, 2, 3};
        String text = new String("some text");
        root.left = leaf;
        root.right = root;
        leaf.left = array;
        leaf.right = text;
        leaf.extra = numbers;
        Node pruned = new Node(4);
        leaf.extra = new Object[] {numbers, pruned};
        pruned.left = hidden;
        Node.shared = leaf;
        Leaf.own = array;
        tag(root, 10);
        tag(leaf, 11);
        tag(array, 12);
        tag(pruned, 13);
        tag(hidden, 14);
        tag(numbers, 15);
        tag(text, 16);
        tag(leaf.extra, 17);
        tag(Node.class, 100);
        tag(Leaf.class, 101);
        tag(Limits.class, 102);
        tag(Thread.currentThread(), 50);
        System.out.println("low " + Limits.LOW + Limits.HIGH);
        follow(root, null, 0);
        follow(root, Leaf.class, 0);
        follow(root, null, 0x4);
        follow(root, null, 0x20);
        follow(Leaf.class, null, 0);
        values();
        Thread starter = Thread.currentThread();
        Thread t = new Thread(() -> {
            awaitJoin(starter); // its stack is looked at while it joins
            inside(root);
        }, "worker");
        tag(t, 51);
        t.start();
        try {
            t.join();
        } catch (InterruptedException e) {
            System.out.println("interrupted");
        }
        old(root, Node.class);
    }
}
