// SPDX-License-Identifier: Apache-2.0
// Soft, weak, phantom and final references, queues, Cleaner, finalizers and resurrection, WeakHashMap.
// @flags -Xmx64m
// @quick
import java.lang.ref.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Refs {
    static final AtomicInteger finalized = new AtomicInteger();
    static volatile Object risen;
    static class Fin {
        final int id;
        Fin(int id) {
            this.id = id;
        }
        @Override
        protected void finalize() {
            if (id == 7) {
                risen = this;
            }
            finalized.incrementAndGet();
            if (id == 3) {
                throw new RuntimeException("ignored");
            }
        }
    }
    interface Cond {
        boolean ok() throws Exception;
    }
    static boolean soon(Cond c) throws Exception {
        for (int i = 0; i < 4000; i++) {
            if (c.ok()) {
                return true;
            }
            System.gc();
            Thread.sleep(5);
        }
        return c.ok();
    }
    static WeakReference<Object> weak(ReferenceQueue<Object> q) {
        return new WeakReference<>(new int[10], q);
    }
    static PhantomReference<Object> phantom(ReferenceQueue<Object> q) {
        return new PhantomReference<>(new Object(), q);
    }
    static void fins() {
        for (int i = 0; i < 10; i++) {
            new Fin(i);
        }
    }
    static void clean(Cleaner c, CountDownLatch l) {
        c.register(new Object(), l::countDown);
    }
    static void puts(WeakHashMap<Object, String> m, Object keep) {
        m.put(keep, "kept");
        for (int i = 0; i < 20; i++) {
            m.put(new Object(), "v" + i);
        }
    }

    public static void main(String[] args) throws Exception {
        ReferenceQueue<Object> q = new ReferenceQueue<>();
        WeakReference<Object> w = weak(q);
        Object strong = new Object();
        WeakReference<Object> w2 = new WeakReference<>(strong, q);
        System.out.println("weak cleared " + soon(() -> w.get() == null));
        System.out.println("enqueued " + (q.remove(5000) == w) + " " + w.isEnqueued() + " strong " + (w2.get() == strong) + w2.refersTo(strong));
        PhantomReference<Object> p = phantom(q);
        System.out.println("phantom get " + p.get() + " " + soon(() -> q.poll() == p));
        SoftReference<Object> s = new SoftReference<>(new byte[1 << 20]);
        System.gc();
        System.out.println("soft kept " + (s.get() != null));
        s = null;
        SoftReference<byte[]> s2 = new SoftReference<>(new byte[8 << 20]);
        try {
            List<byte[]> l = new ArrayList<>();
            while (true) {
                l.add(new byte[1 << 20]);
            }
        } catch (OutOfMemoryError e) {
            System.out.println("soft cleared before OOME " + (s2.get() == null));
        }
        fins();
        System.out.println("finalized " + soon(() -> {
            System.runFinalization();
            return finalized.get() == 10;
        }));
        System.out.println("risen " + ((Fin) risen).id);
        risen = null;
        System.gc();
        System.runFinalization();
        System.out.println("once " + finalized.get());
        CountDownLatch l = new CountDownLatch(5);
        Cleaner c = Cleaner.create();
        for (int i = 0; i < 5; i++) {
            clean(c, l);
        }
        System.out.println("cleaner " + soon(() -> l.await(5, TimeUnit.MILLISECONDS)));
        Object hold = new Object();
        AtomicInteger once = new AtomicInteger();
        Cleaner.Cleanable ca = c.register(hold, once::incrementAndGet);
        ca.clean();
        ca.clean();
        System.out.println("explicit " + once);
        WeakHashMap<Object, String> m = new WeakHashMap<>();
        Object keep = new Object();
        puts(m, keep);
        System.out.println("whm " + soon(() -> m.size() == 1) + " " + m.get(keep));
        WeakReference<Object> manual = new WeakReference<>(strong, q);
        System.out.println("manual " + manual.enqueue() + manual.enqueue() + (q.remove() == manual) + manual.get());
        Reference<Object> cl = new WeakReference<>(strong);
        cl.clear();
        System.out.println("clear " + cl.get());
        ThreadLocal<byte[]> tl = ThreadLocal.withInitial(() -> new byte[10]);
        tl.get();
        System.gc();
        System.out.println(tl.get().length + " " + strong.equals(strong));
        Reference.reachabilityFence(keep);
        Object chainA = new WeakReference<>(new SoftReference<>(new Object()));
        System.gc();
        System.out.println(chainA instanceof WeakReference);
    }
}
