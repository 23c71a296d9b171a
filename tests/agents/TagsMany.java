// SPDX-License-Identifier: Apache-2.0
// Tags given in walks to half of two million objects, in no order of theirs, removed from some, given to others again: no tag
// is lost, changed or given twice while what holds them grows in a stopped world.
// @agent ti_tags_many
// @modes asan
// @flags -Xmx256m
public class TagsMany {
    static class Item {
    }

    static native void walk(); // tags about half of the untagged items

    static native void untag(Object[] items, int step); // each step-th

    static native long wrong(Object[] items); // how many do not have what was given them

    static native long notFound(Object[] items); // some of them by their tags

    public static void main(String[] args) {
        Object[] items = new Object[2_000_000];
        for (int i = 0; i < items.length; i++) {
            items[i] = new Item();
            System.identityHashCode(items[i]);
        }
        System.out.println("wrong at first: " + wrong(items) + ", not found: " + notFound(items));
        walk();
        System.out.println("wrong after a walk: " + wrong(items) + ", not found: " + notFound(items));
        untag(items, 3);
        for (int i = 0; i < items.length; i += 4)
            items[i] = null;
        System.gc();
        System.out.println("wrong after a collection: " + wrong(items) + ", not found: " + notFound(items));
        for (int i = 0; i < 3; i++)
            walk();
        System.out.println("wrong after more walks: " + wrong(items) + ", not found: " + notFound(items));
    }
}
