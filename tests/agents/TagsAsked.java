// SPDX-License-Identifier: Apache-2.0
// GetObjectsWithTags: which lists of tags it takes and what it gives for them; no object is missing in what it gives while another
// thread tags new objects.
// @agent ti_tags_asked
// @quick
public class TagsAsked {
    static volatile boolean end;

    static native void lists(Object one, Object other);

    static native void tag(Object o);

    static native int missing();

    static void tagAll() {
        while (!end)
            tag(new Object());
    }

    public static void main(String[] args) throws InterruptedException {
        Object one = new Object(), other = new Object();
        lists(one, other);
        Thread[] taggers = new Thread[4];
        for (int i = 0; i < taggers.length; i++) {
            taggers[i] = new Thread(TagsAsked::tagAll);
            taggers[i].start();
        }
        int missing = 0;
        for (long stop = System.nanoTime() + 1_000_000_000L; System.nanoTime() < stop;)
            missing += missing();
        end = true;
        for (Thread tagger : taggers)
            tagger.join();
        System.out.println("missing: " + missing);
        if (one == other)
            System.out.println("the same");
    }
}
