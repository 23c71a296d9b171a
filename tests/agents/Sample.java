// SPDX-License-Identifier: Apache-2.0
// SampledObjectAlloc at interval 0 and at others, for all threads and for one, and after it was
// turned off.
// @agent ti_sample
// @quick
public class Sample {
    static native int interval(int bytes);

    static native void enable(boolean on, Thread t);

    static native void recurse(boolean on);

    static native int deepest();

    static native int take(boolean show);

    static native void checkOther(int expected);

    static class Item {
        long a, b, c, d, e, f; // 64 bytes
    }

    static volatile Object sink;

    static Object[] one() {
        sink = new Item();
        Item[] items = new Item[3];
        sink = items;
        sink = new Item[2][2];
        sink = items.clone();
        return items;
    }

    // Objects of one and a half megabytes: what was on the way before a change of interval is over.
    static void settle() {
        for (int i = 0; i < 100_000; i++)
            sink = new byte[64];
    }

    static void many(int count) {
        for (int i = 0; i < count; i++)
            sink = new Item();
    }

    static String about(int seen, int expected) {
        return seen > expected / 2 && seen < expected * 2 ? "about " + expected : "" + seen;
    }

    static void otherThread(int count) throws Exception {
        Thread t = new Thread(() -> many(count));
        t.start();
        t.join();
    }

    public static void main(String[] args) throws Exception {
        one();
        System.out.println("off " + take(false) + " negative " + interval(-1) + " zero " + interval(0));
        enable(true, null);
        settle();
        one();
        System.out.println("objects " + take(true));
        many(1000);
        System.out.println("all " + take(false));
        interval(64 * 1024);
        settle();
        take(false);
        many(200_000);
        System.out.println("64 KB " + about(take(false), 200_000 * 64 / 65536));
        interval(1024);
        settle();
        take(false);
        many(20_000);
        System.out.println("1 KB " + about(take(false), 20_000 * 64 / 1024));
        enable(false, null);
        many(20_000);
        System.out.println("off " + take(false));
        interval(0);
        enable(true, Thread.currentThread());
        settle();
        take(false);
        otherThread(1000);
        System.out.println("another thread " + take(false));
        many(100);
        System.out.println("this thread " + take(false));
        recurse(true);
        many(10);
        System.out.println("recursive " + take(false) + " depth " + deepest());
        enable(false, Thread.currentThread());
        many(1000);
        System.out.println("off " + take(false));
        checkOther((1000 + 200_000 + 40_000) * 64 / 100_000);
    }
}
