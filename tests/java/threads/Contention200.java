// SPDX-License-Identifier: Apache-2.0
// 200 threads contend on monitors, wait, notify, park, interrupt and allocate for some seconds (argument or
// property "seconds", 3 by default; property "threads"), and check what must hold all along.
// @flags -Xmx128m
// @timeout 120
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class Contention200 {
    static final int LOCKS = 16;
    static final Object[] locks = new Object[LOCKS];
    static final long[] guarded = new long[LOCKS];
    static final AtomicLongArray expected = new AtomicLongArray(LOCKS);
    static final Thread[] owner = new Thread[LOCKS];
    static final ArrayDeque<int[]> queue = new ArrayDeque<>();
    static final AtomicLong put = new AtomicLong();
    static final AtomicLong taken = new AtomicLong();
    static final AtomicLong putSum = new AtomicLong();
    static final AtomicLong takenSum = new AtomicLong();
    static final AtomicInteger interruptsSent = new AtomicInteger();
    static final AtomicInteger parks = new AtomicInteger();
    static final ReentrantLock jl = new ReentrantLock();
    static long jlCount;
    static final AtomicLong jlExpected = new AtomicLong();
    static volatile boolean stop;
    static final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    static Thread[] ts;

    static void fail(String s) {
        if (errors.size() < 20) {
            errors.add(Thread.currentThread().getName() + ": " + s);
        }
        stop = true;
    }

    static void monitor(int k) {
        Thread me = Thread.currentThread();
        synchronized (locks[k]) {
            if (owner[k] != null) {
                fail("two owners of " + k);
            }
            owner[k] = me;
            guarded[k]++;
            expected.incrementAndGet(k);
            if ((guarded[k] & 63) == 0) {
                Thread.yield();
            }
            if (!Thread.holdsLock(locks[k])) {
                fail("holdsLock");
            }
            if (owner[k] != me) {
                fail("owner changed " + k);
            }
            owner[k] = null;
        }
    }

    static void waiting(int k, Random r) {
        synchronized (locks[k]) {
            try {
                locks[k].wait(1 + r.nextInt(5));
            } catch (InterruptedException e) {
                Thread.interrupted();
            }
            if (!Thread.holdsLock(locks[k])) {
                fail("wait lost the lock");
            }
        }
    }

    static void produce(Random r) {
        int v = r.nextInt(1000);
        synchronized (queue) {
            if (queue.size() < 100) {
                queue.add(new int[] {v, ~v});
                put.incrementAndGet();
                putSum.addAndGet(v);
                queue.notify();
            }
        }
    }

    static void consume(boolean block) {
        synchronized (queue) {
            if (block && queue.isEmpty()) {
                try {
                    queue.wait(5);
                } catch (InterruptedException e) {
                    return;
                }
            }
            int[] v = queue.poll();
            if (v != null) {
                if (v[0] != ~v[1]) {
                    fail("queue element broken");
                }
                taken.incrementAndGet();
                takenSum.addAndGet(v[0]);
            }
        }
    }

    static void alloc(Random r) {
        Object[] a = new Object[r.nextInt(200)];
        for (int i = 0; i < a.length; i++) {
            a[i] = i % 3 == 0 ? new int[] {i} : i % 3 == 1 ? "s" + i : (Object) Long.valueOf(i);
        }
        for (int i = 0; i < a.length; i++) {
            boolean ok = i % 3 == 0 ? ((int[]) a[i])[0] == i : i % 3 == 1 ? a[i].equals("s" + i) : (Long) a[i] == i;
            if (!ok) {
                fail("allocated object broken at " + i);
            }
        }
        Object fresh = new Object();
        int h = fresh.hashCode();
        synchronized (fresh) {
            if (h != System.identityHashCode(fresh)) {
                fail("hash changed");
            }
        }
    }

    static void work(int id) {
        Random r = new Random(id);
        while (!stop) {
            try {
                switch (r.nextInt(12)) {
                case 0: case 1: case 2: monitor(r.nextInt(LOCKS)); break;
                case 3: waiting(r.nextInt(LOCKS), r); break;
                case 4:
                    synchronized (locks[id % LOCKS]) {
                        if (r.nextBoolean()) {
                            locks[id % LOCKS].notifyAll();
                        } else {
                            locks[id % LOCKS].notify();
                        }
                    }
                    break;
                case 5:
                    LockSupport.parkNanos(100000 + r.nextInt(1000000));
                    parks.incrementAndGet();
                    break;
                case 6: LockSupport.unpark(ts[r.nextInt(ts.length)]); break;
                case 7:
                    ts[r.nextInt(ts.length)].interrupt();
                    interruptsSent.incrementAndGet();
                    break;
                case 8: alloc(r); break;
                case 9: produce(r); break;
                case 10: consume(r.nextBoolean()); break;
                default:
                    try {
                        if (jl.tryLock(3, TimeUnit.MILLISECONDS)) {
                            try {
                                jlCount++;
                                jlExpected.incrementAndGet();
                            } finally {
                                jl.unlock();
                            }
                        }
                    } catch (InterruptedException e) {
                        Thread.interrupted();
                    }
                    if (r.nextInt(4) == 0) {
                        try {
                            Thread.sleep(1);
                        } catch (InterruptedException e) {
                            Thread.interrupted();
                        }
                    }
                }
            } catch (Throwable t) {
                fail(t + " " + Arrays.toString(t.getStackTrace()));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        double secs = args.length > 0 ? Double.parseDouble(args[0]) : Double.parseDouble(System.getProperty("seconds", "3"));
        int n = Integer.getInteger("threads", 200);
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
        ts = new Thread[n];
        for (int i = 0; i < n; i++) {
            int k = i;
            ts[i] = new Thread(() -> work(k), "W" + i);
        }
        for (Thread t : ts) {
            t.start();
        }
        long end = System.nanoTime() + (long) (secs * 1e9);
        while (System.nanoTime() < end && !stop) {
            Thread.sleep(20);
        }
        stop = true;
        for (Thread t : ts) {
            t.join(30000);
            if (t.isAlive()) {
                fail(t.getName() + " hangs in " + t.getState() + " " + Arrays.toString(t.getStackTrace()));
                break;
            }
        }
        for (int i = 0; i < LOCKS; i++) {
            if (guarded[i] != expected.get(i)) {
                fail("counter " + i + ": " + guarded[i] + " " + expected.get(i));
            }
        }
        long left = 0;
        long leftSum = 0;
        for (int[] v : queue) {
            left++;
            leftSum += v[0];
        }
        if (put.get() != taken.get() + left || putSum.get() != takenSum.get() + leftSum) {
            fail("queue sums");
        }
        if (jlCount != jlExpected.get()) {
            fail("lock counter");
        }
        errors.forEach(System.out::println);
        System.out.println(errors.isEmpty() ? "ok" : "failed");
        if (args.length > 1) {
            System.out.println("locks " + Arrays.stream(guarded).sum() + " puts " + put + " parks " + parks + " interrupts " + interruptsSent + " j.u.c " + jlCount);
        }
        System.exit(errors.isEmpty() ? 0 : 1);
    }
}
