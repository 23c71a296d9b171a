// SPDX-License-Identifier: Apache-2.0
// Litmus tests of the memory model (JLS 17.4): what volatile fields, final fields and atomic operations forbid
// is never seen. Each test lets two threads meet many times and counts forbidden results.
// @modes aarch64
// @timeout 120
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

public class Litmus {
    static final int ROUNDS = 3_000;

    /** Two actors on fresh state each round; the verdict is asked for after both have ended. */
    abstract static class Case {
        abstract void reset();
        abstract void first();
        abstract void second();
        abstract boolean forbidden();
    }

    /** A store before a volatile store is seen by who sees the volatile one; also narrow and wide kinds. */
    static class MessagePassing extends Case {
        int a; long b; Object c; volatile byte flag; volatile long wide; volatile Object ref;
        boolean bad;
        void reset() { a = 0; b = 0; c = null; flag = 0; wide = 0; ref = null; bad = false; }
        void first() { a = 1; flag = 1; b = -1L; wide = -1L; c = this; ref = this; }
        void second() {
            boolean f = flag == 1;
            bad |= f && a != 1;
            long w = wide;
            bad |= w != 0 && (w != -1L || b != -1L || a != 1);
            Object r = ref;
            bad |= r != null && (c != this || b != -1L);
        }
        boolean forbidden() { return bad; }
    }

    /** Each stores to its own volatile and reads the other's: not both may miss. */
    static class StoreBuffering extends Case {
        volatile int x, y;
        int r1, r2;
        void reset() { x = y = 0; }
        void first() { x = 1; r1 = y; }
        void second() { y = 1; r2 = x; }
        boolean forbidden() { return r1 == 0 && r2 == 0; }
    }

    static class StaticStoreBuffering extends Case {
        static volatile long x;
        static volatile Object y;
        boolean r1, r2;
        void reset() { x = 0; y = null; }
        void first() { x = 1; r1 = y == null; }
        void second() { y = this; r2 = x == 0; }
        boolean forbidden() { return r1 && r2; }
    }

    /** The same with VarHandle accesses of volatile mode to plain fields, and with compare-and-set as the store. */
    static class HandleStoreBuffering extends Case {
        int x; long y;
        boolean r1, r2;
        static final VarHandle X, Y;
        static {
            try {
                X = MethodHandles.lookup().findVarHandle(HandleStoreBuffering.class, "x", int.class);
                Y = MethodHandles.lookup().findVarHandle(HandleStoreBuffering.class, "y", long.class);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
        void reset() { X.setVolatile(this, 0); Y.setVolatile(this, 0L); }
        void first() { X.setVolatile(this, 1); r1 = (long) Y.getVolatile(this) == 0; }
        void second() { Y.compareAndSet(this, 0L, 1L); r2 = (int) X.getVolatile(this) == 0; }
        boolean forbidden() { return r1 && r2; }
    }

    static class Box {
        final int i; final long l; final Object o; final int[] array;
        Box(int n) { i = n; l = n; o = this; array = new int[] {n}; }
        boolean whole() { return i == 7 && l == 7 && o == this && array[0] == 7; }
    }

    /** An object published by a race: its final fields are seen as the constructor left them. */
    static class FinalFields extends Case {
        Box box;
        boolean bad;
        void reset() { box = null; bad = false; }
        void first() { box = new Box(7); }
        void second() {
            Box b = box;
            bad = b != null && !b.whole();
        }
        boolean forbidden() { return bad; }
    }

    /** No increment is lost, whatever the form. */
    static class Increments extends Case {
        int plain;
        volatile long updated;
        final AtomicInteger atomic = new AtomicInteger();
        static final AtomicLongFieldUpdater<Increments> UPDATED =
            AtomicLongFieldUpdater.newUpdater(Increments.class, "updated");
        void reset() { plain = 0; updated = 0; atomic.set(0); }
        void first() { second(); }
        void second() {
            for (int i = 0; i < 5; i++) {
                synchronized (this) {
                    plain++;
                }
                UPDATED.incrementAndGet(this);
                atomic.getAndAdd(1);
            }
        }
        boolean forbidden() { return plain != 10 || updated != 10 || atomic.get() != 10; }
    }

    /** A lock in one thread's memory: who gets it by compare-and-set sees what the former owner wrote. */
    static class SpinLock extends Case {
        final AtomicInteger owner = new AtomicInteger();
        int guarded;
        void reset() { guarded = 0; owner.set(0); }
        void first() { second(); }
        void second() {
            while (!owner.compareAndSet(0, 1))
                Thread.yield();
            guarded++;
            owner.set(0);
        }
        boolean forbidden() { return guarded != 2; }
    }

    static final AtomicInteger round = new AtomicInteger(), done = new AtomicInteger();

    /** Spins for as long as the other may be about to come: the two should meet. */
    static void await(AtomicInteger at, int r) {
        for (int spins = 0; at.get() < r; spins++)
            if (spins > 100)
                Thread.yield();
    }

    static int run(Case c) throws InterruptedException {
        int forbidden = 0;
        round.set(0);
        Thread other = new Thread(() -> {
            for (int r = 1; r <= ROUNDS; r++) {
                await(round, r);
                c.second();
                done.set(r);
            }
        });
        done.set(0);
        c.reset();
        other.start();
        for (int r = 1; r <= ROUNDS; r++) {
            round.set(r);
            c.first();
            await(done, r);
            if (c.forbidden())
                forbidden++;
            c.reset();
        }
        other.join();
        return forbidden;
    }

    public static void main(String[] args) throws InterruptedException {
        Case[] cases = {new MessagePassing(), new StoreBuffering(), new StaticStoreBuffering(), new HandleStoreBuffering(),
            new FinalFields(), new Increments(), new SpinLock()};
        for (Case c : cases)
            System.out.println(c.getClass().getSimpleName() + ": forbidden results " + run(c));
    }
}
