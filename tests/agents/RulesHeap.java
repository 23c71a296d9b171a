// SPDX-License-Identifier: Apache-2.0
// Rules of walking the heap, by number: values after their object, visit control, forced collections; the roots of a thread.
// @agent ti_rules_heap
// @quick
import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;

public class RulesHeap {
    static native void tag(Object o, long tag);

    static native void follow();

    static native void roots();

    // How many objects have the tag after a collection.
    static native int collect(long tag);

    static class Chain {
        int value = 7;
        Object next;
    }

    static Chain chain;
    static int[] numbers = {1, 2, 3};
    static String text = new String("some text");
    static volatile boolean finalizing;
    static final Object HELD = new Object();

    static class Finalized {
        @Override
        @SuppressWarnings("deprecation")
        protected void finalize() {
            finalizing = true;
            synchronized (HELD) {
            }
        }
    }

    static void make() {
        Object last = new Object();
        Chain next = new Chain();
        chain = new Chain();
        chain.next = next;
        next.next = last;
        tag(chain, 1);
        tag(next, 2);
        tag(last, 3);
        tag(numbers, 4);
        tag(text, 5);
    }

    static WeakReference<Object> garbage() {
        Object o = new Object();
        tag(o, 10);
        for (int i = 0; i < 1000; i++)
            tag(new int[i], 10);
        new Finalized();
        return new WeakReference<>(o);
    }

    static void startAndTag(CountDownLatch started, CountDownLatch end) throws Exception {
        Thread t = new Thread(() -> {
            started.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new Error(e);
            }
        });
        tag(t, 6);
        t.start();
        started.await();
    }

    public static void main(String[] args) throws Exception {
        make();
        follow();
        CountDownLatch started = new CountDownLatch(1), end = new CountDownLatch(1);
        startAndTag(started, end);
        roots();
        end.countDown();
        WeakReference<Object> gone = garbage();
        synchronized (HELD) { // no finalizer can end meanwhile
            boolean all = collect(10) == 0 && gone.get() == null;
            System.out.println("O23 " + (all ? "ok" : "FAILS"));
        }
    }
}
