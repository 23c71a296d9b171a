// SPDX-License-Identifier: Apache-2.0
// What points_test.py looks into: each command of standard input does something of known counts and answers with "= ".
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Points {
    // Not loaded before it is used.
    static class Later {
        static int twice(int n) {
            return n * 2;
        }
    }

    enum State { NEW, PAID }

    static class Order {
        final int id;
        final String name;
        final List<String> items = new ArrayList<>();
        final Map<String, Integer> counts = new HashMap<>();
        State state = State.NEW;
        double price;
        Order next;

        Order(int id, String name) {
            this.id = id;
            this.name = name;
        }

        int total(int factor, String currency) {
            int sum = items.size() * factor;
            if (currency == null)
                throw new IllegalArgumentException("no currency for " + id);
            return sum;
        }

        long wide(long a, double b, boolean c, char d, byte e, float f) {
            return a + (c ? 1 : 0);
        }

        void quiet() {
            price += 1;
        }

        Order linked() {
            return next;
        }
    }

    static class Node {
        Node next;
        int value;
        String text;
    }

    static Instrumentation instrumentation;
    static Object kept;
    static int sum;

    static Order order(int id, int items) {
        Order order = new Order(id, "order-" + id);
        for (int i = 0; i < items; i++)
            order.items.add("item" + i);
        order.counts.put("a", items);
        return order;
    }

    static int calls(int n) {
        Order order = order(7, 3);
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += order.total(i, "EUR");
        return sum;
    }

    static int throwing(int n) {
        Order order = order(8, 1);
        int caught = 0;
        for (int i = 0; i < n; i++)
            try {
                order.total(i, null);
            } catch (IllegalArgumentException e) {
                caught++;
            }
        return caught;
    }

    static String many() {
        Order order = order(9, 12);
        order.next = order(10, 2);
        order.state = State.PAID;
        order.quiet();
        order.linked();
        return order.wide(1L << 40, 2.5, true, 'x', (byte) -3, 0.25f) + "";
    }

    static int fib(int n) {
        if (n < 2)
            return n;
        return fib(n - 1) + fib(n - 2);
    }

    static Object heap(int n) {
        Node first = null;
        for (int i = 0; i < n; i++) {
            Node node = new Node();
            node.next = first;
            node.value = i;
            node.text = "node " + i;
            first = node;
        }
        Object[] all = {first, new int[] {1, 2, 3}, new Node[n]};
        kept = all;
        return all.length;
    }

    // Puts another version into a class that runs.
    static String redefine(String file, Class<?> target) throws Exception {
        byte[] bytes = Files.readAllBytes(Path.of(file));
        instrumentation.redefineClasses(new ClassDefinition(target, bytes));
        return "redefined";
    }

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
    }

    // Threads that all go through the same lines.
    static int together(int threads) throws Exception {
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(() -> {
                for (int k = 0; k < 200; k++)
                    Covered.run(10);
            }, "together-" + i);
            all[i].start();
        }
        for (Thread thread : all)
            thread.join();
        return threads;
    }

    static String run(String[] words) throws Exception {
        if (words[0].equals("redefine"))
            return redefine(words[1], Covered.class);
        int n = words.length > 1 ? Integer.parseInt(words[1]) : 0;
        switch (words[0]) {
        case "later": return "" + Later.twice(n);
        case "together": return "" + together(n);
        case "calls": return "" + calls(n);
        case "throwing": return "" + throwing(n);
        case "many": return many();
        case "fib": return "" + fib(n);
        case "heap": return "" + heap(n);
        case "cover": return "" + Covered.run(n);
        default: return "unknown " + Arrays.toString(words);
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("= ready");
        for (String line = in.readLine(); line != null; line = in.readLine())
            System.out.println("= " + run(line.split(" ")));
    }
}
