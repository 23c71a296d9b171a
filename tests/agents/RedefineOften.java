// SPDX-License-Identifier: Apache-2.0
// A class that is redefined, and one that is retransformed, 10,000 times each with class files that differ: old versions
// are freed, with their constants, call sites and method ids, but those that a frame is in.
// HotSpot takes a minute for it.
// @agent ti_redefine
// @only pellucid
import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;

class OftenA {
    static int calls;

    static String text() {
        calls++;
        return "text 00000";
    }

    static String joined(Object with) {
        return "joined 00000 " + with;
    }

    static String missing() {
        try {
            return OftenGone.class.getName();
        } catch (NoClassDefFoundError e) {
            return "00000 " + e.getMessage();
        }
    }

    static String wait(CountDownLatch in, CountDownLatch go) throws InterruptedException {
        in.countDown();
        go.await();
        Redefiner.keepFrame(); // of an obsolete method by now
        return "waited 00000 " + text() + joined(1) + " " + Redefiner.isKeptGone();
    }
}
class OftenB {
    static String text() {
        return "text 00000";
    }
}
class OftenGone {}

public class RedefineOften extends Redefiner {
    static final int ROUNDS = 10_000, WARM = 2_000;
    static final byte[] ORIGINAL = file("OftenA");
    static final WeakReference<?>[] constants = new WeakReference<?>[ROUNDS];

    static String number(int i) {
        return String.format("%05d", i);
    }

    // One redefinition and one retransformation.
    static void round(int i) {
        int error = redefine(OftenA.class, replace(ORIGINAL, "00000", number(i)));
        String text = OftenA.text();
        constants[i] = new WeakReference<>(text);
        boolean joins = i % 10 == 0;
        if (error != 0 || !text.equals("text " + number(i)) || joins && !OftenA.joined(i).startsWith("joined " + number(i)))
            throw new IllegalStateException(error + " " + text);
        OftenA.missing();
        hook(0, true, "OftenB", "00000", number(i), true);
        error = retransform(OftenB.class);
        if (error != 0 || !OftenB.text().equals("text " + number(i)))
            throw new IllegalStateException(error + " " + OftenB.text());
    }

    public static void main(String[] args) throws Exception {
        String[] waited = new String[1];
        CountDownLatch in = new CountDownLatch(1), go = new CountDownLatch(1);
        Thread waits = new Thread(() -> {
            try {
                waited[0] = OftenA.wait(in, go);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        waits.setDaemon(true);
        waits.start();
        in.await();
        for (int i = 0; i < WARM; i++)
            round(i);
        long before = metaspace();
        for (int i = WARM; i < ROUNDS; i++)
            round(i);
        long grown = metaspace() - before;
        int kept = 0;
        for (WeakReference<?> c : constants)
            kept += c.get() == null ? 0 : 1;
        System.out.println(grown < 200_000 ? "flat" : "grown by " + grown);
        System.out.println(kept < 10 ? "constants freed" : "constants kept: " + kept);
        go.countDown();
        waits.join();
        System.out.println(waited[0]);
        System.out.println("its id gone: " + isKeptGone());
        redefine(OftenA.class, ORIGINAL);
        System.out.println("its id gone: " + isKeptGone());
        System.out.println(OftenA.text() + " " + OftenA.calls);
    }
}
