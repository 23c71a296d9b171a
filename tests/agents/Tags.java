// SPDX-License-Identifier: Apache-2.0
// Tags of many objects: set, changed, removed and set again while objects move and die and other threads do the same; found
// again by GetTag, GetObjectsWithTags and a walk, each environment's for itself; ObjectFree for what died, once.
// @agent ti_tags
// @quick
// @flags -Xmx64m
import java.util.ArrayList;
import java.util.List;

public class Tags {
    static native void set(int env, Object o, long tag);

    static native long get(int env, Object o);

    static native int countWithTags(int env, long[] tags); // -1: an object had another tag than GetTag says

    static native long walk(int env, long from); // tags all untagged objects of Item: from, from + 1 ...; gives how many

    static native void tagClassesAsMet(Object[] from); // shows the tag of each element's class

    static native long freed(); // the sum of the tags that ObjectFree told

    static class Item {
    }

    static Object[] items(int n) {
        Object[] items = new Object[n];
        for (int i = 0; i < n; i++)
            items[i] = new Item();
        return items;
    }

    static void expect(String what, long seen, long wanted) {
        if (seen != wanted)
            System.out.println(what + ": " + seen + ", not " + wanted);
    }

    static void check(int env, Object[] items, long first, long step, String when) {
        for (int i = 0; i < items.length; i++)
            expect(when + " " + i, get(env, items[i]), step == 0 ? first : first + i * step);
    }

    static void churn(int rounds) {
        Object[] kept = new Object[100];
        for (int i = 0; i < rounds; i++)
            kept[i % kept.length] = new byte[500];
    }

    static void changes(int n) {
        Object[] items = items(n);
        check(0, items, 0, 0, "new");
        for (int i = 0; i < n; i++)
            set(0, items[i], i + 1);
        churn(20_000);
        check(0, items, 1, 1, "moved");
        check(1, items, 0, 0, "other environment");
        for (int i = 0; i < n; i += 2)
            set(0, items[i], 0);
        System.gc();
        for (int i = 0; i < n; i++)
            expect("half " + i, get(0, items[i]), i % 2 == 0 ? 0 : i + 1);
        System.out.println("removed " + countWithTags(0, new long[] {1, 3, 5}) + ", left " + countWithTags(0, new long[] {2, 4, 6}));
        for (int i = 0; i < n; i++)
            set(0, items[i], 7);
        System.out.println("same tag: " + countWithTags(0, new long[] {7}));
        for (int i = 0; i < n; i++)
            set(0, items[i], 0);
        System.out.println("none: " + countWithTags(0, new long[] {7}));
    }

    static void walks(int n) {
        Object[] items = items(n);
        set(0, items[0], -1);
        System.out.println("walked " + walk(0, 1000) + " and " + walk(0, 5000));
        System.out.println("negative: " + get(0, items[0]));
        List<Long> tags = new ArrayList<>();
        for (int i = 1; i < n; i++)
            tags.add(get(0, items[i]));
        tags.sort(null);
        for (int i = 1; i < n; i++)
            expect("walked " + i, tags.get(i - 1), 999 + i);
        long before = freed();
        items = null;
        for (int i = 0; i < 1500 && freed() - before != expectedSum(n); i++)
            collect();
        System.out.println("freed " + (freed() - before == expectedSum(n)));
        System.out.println("left " + countWithTags(0, new long[] {-1, 1000, 1001}));
    }

    static long expectedSum(long n) {
        return -1 + (n - 1) * 1000 + (n - 1) * (n - 2) / 2;
    }

    static void collect() {
        System.gc();
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void threads(int count, int n) throws Exception {
        Thread[] threads = new Thread[count];
        for (int t = 0; t < count; t++) {
            int number = t;
            threads[t] = new Thread(() -> {
                for (int round = 1; round <= 5; round++) {
                    Object[] items = items(n);
                    long first = number * 1_000_000L + round * 100_000L;
                    for (int i = 0; i < n; i++) {
                        set(number % 2, items[i], first + i);
                        if (i % 3 == 0)
                            expect("own " + i, get(number % 2, items[i]), first + i);
                    }
                    churn(500);
                    check(number % 2, items, first, 1, "thread " + number);
                }
            });
            threads[t].start();
        }
        for (Thread t : threads)
            t.join();
        System.out.println("threads done");
    }

    public static void main(String[] args) throws Exception {
        changes(3000);
        walks(2000);
        threads(4, 1000);
        tagClassesAsMet(new Object[] {new Item(), Item.class, new Item(), String.class, new Item(), "", Item.class, new Item()});
    }
}
