// SPDX-License-Identifier: Apache-2.0
// What tests/programs/field/visualvm.sh profiles. It waits until it is ended; a file says when its work is done.
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;

public class Profiled {
    static class Item {
        Object next;
    }
    static final List<Object> kept = new ArrayList<>(); // what is counted as living lives, whenever it is collected

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static Item items(int n) {
        Item first = null;
        for (int i = 0; i < n; i++) {
            Item item = new Item();
            item.next = first;
            first = item;
            kept.add(item);
        }
        return first;
    }

    static int caught(int n) {
        try {
            if (n % 2 == 0)
                throw new IllegalStateException("even");
        } catch (IllegalStateException e) {
            kept.add(e);
            return 1;
        }
        return 0;
    }

    static int work(int round) {
        int sum = fib(10) + caught(round);
        List<String> list = new ArrayList<>();
        for (int i = 0; i < 50; i++)
            list.add("s" + i);
        Collections.sort(list);
        return sum + list.indexOf("s7") + (items(100).next == null ? 1 : 0);
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int i = 0; i < 20; i++)
            sum += work(i);
        System.out.println("sum " + sum);
        Files.createFile(Path.of("done"));
        Thread.sleep(Long.MAX_VALUE);
    }
}
