// SPDX-License-Identifier: Apache-2.0
// JVMPI: what the events of collections tell, what their handlers may do, who waits for whom. Each line is the number of
// statements of the specification's check list.
// @only pellucid
// @xrun pi_collections
// @flags -Xmx64m
// @quick
import java.util.concurrent.CountDownLatch;

public class PiCollections {
    static native void arenas();

    static native void promotion();

    static native void figures();

    static native void hold();

    static native void collectLocking();

    static native void collectPrinting();

    static native void watch(Object o);

    static native boolean isFreed();

    static native void reclaimed(boolean notBefore);

    static native void beVictim();

    static native void suspend();

    static native void resumeAfter();

    static native void blockOnRaw();

    static native void takeRaw();

    static native void collectBeside();

    static final CountDownLatch finalized = new CountDownLatch(1);
    static volatile boolean freedBefore, stop;
    static volatile Object sink;

    static class Finalized {
        @Override
        @SuppressWarnings("removal")
        protected void finalize() {
            freedBefore = isFreed();
            finalized.countDown();
        }
    }

    static Thread start(Runnable body) {
        Thread t = new Thread(body);
        t.start();
        return t;
    }

    static void makeFinalized() {
        watch(new Finalized());
    }

    // Its memory is kept for the finalizer, and given back by a later collection.
    static void finalization() throws Exception {
        makeFinalized();
        while (finalized.getCount() > 0) {
            System.gc();
            Thread.sleep(1);
        }
        while (!isFreed()) { // once the finalizer's thread has let go of it
            System.gc();
            Thread.sleep(1);
        }
        reclaimed(!freedBefore);
    }

    static void suspension() throws Exception {
        Thread victim = start(() -> {
            beVictim();
            while (!stop)
                sink = null;
        });
        suspend();
        Thread collector = start(System::gc);
        resumeAfter();
        stop = true;
        victim.join();
        collector.join();
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("pi_collections");
        arenas();
        promotion();
        figures();
        Thread holder = start(() -> {
            hold();
            sink = new Object();
        });
        collectLocking();
        holder.join();
        collectPrinting();
        finalization();
        suspension();
        takeRaw();
        Thread blocked = start(PiCollections::blockOnRaw);
        collectBeside();
        blocked.join();
    }
}
