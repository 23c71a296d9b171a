// SPDX-License-Identifier: Apache-2.0
// Litmus tests of the memory model (JLS 17.4): what volatile fields, final fields, monitors and atomic operations forbid
// is never seen. Each test lets two threads meet many times and counts forbidden results.
// @modes aarch64
// @timeout 120
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

public class Litmus {
    static final int TURNS = 100, ROW = 2000;

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

    /** An object without final fields: who finds it by a volatile field, a compare-and-set or an acquiring read finds it whole. */
    static class Publication extends Case {
        static class Plain {
            int i; long l; Object o; int[] array;
            Plain fill() { i = 7; l = 7; o = this; array = new int[] {7}; return this; }
            boolean whole() { return i == 7 && l == 7 && o == this && array[0] == 7; }
        }
        volatile Plain field;
        final AtomicReference<Plain> set = new AtomicReference<>(), released = new AtomicReference<>();
        boolean bad;
        void reset() { field = null; set.set(null); released.set(null); bad = false; }
        void first() {
            field = new Plain().fill();
            set.compareAndSet(null, new Plain().fill());
            released.setRelease(new Plain().fill());
        }
        void second() {
            Plain p = released.getAcquire(), q = set.get(), r = field;
            bad = p != null && (!p.whole() || q == null || r == null) || q != null && (!q.whole() || r == null)
                || r != null && !r.whole();
        }
        boolean forbidden() { return bad; }
    }

    /** Of two compare-and-sets one wins, and who loses sees what the winner wrote before. */
    static class CompareAndSet extends Case {
        volatile int state;
        int firstWrote, secondWrote;
        boolean firstWon, secondWon, bad;
        static final VarHandle STATE;
        static {
            try {
                STATE = MethodHandles.lookup().findVarHandle(CompareAndSet.class, "state", int.class);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
        void reset() { firstWrote = secondWrote = 0; bad = false; state = 0; }
        void first() {
            firstWrote = 1;
            firstWon = STATE.compareAndSet(this, 0, 1);
            bad |= !firstWon && (state != 2 || secondWrote != 1);
        }
        void second() {
            secondWrote = 1;
            int found = (int) STATE.compareAndExchange(this, 0, 2);
            secondWon = found == 0;
            bad |= !secondWon && (found != 1 || firstWrote != 1);
        }
        boolean forbidden() { return bad || firstWon == secondWon; }
    }

    /** What was written before a monitor was left, or in it, is seen by who enters it behind; also in a loop, and around a call. */
    static class Monitors extends Case {
        final Object lock = new Object();
        int before, x, y, r1, r2;
        boolean flag, bad;
        void reset() { before = x = y = 0; flag = bad = false; }
        synchronized void set() { flag = true; }
        synchronized boolean isSet() { return flag; }
        void first() {
            before = 1;
            set();
            synchronized (lock) { x = 1; }
            synchronized (lock) { r1 = y; }
        }
        void second() {
            for (int i = 0; i < 3; i++)
                bad |= isSet() && before != 1;
            synchronized (lock) { y = 1; }
            synchronized (lock) { r2 = x; }
        }
        boolean forbidden() { return bad || r1 == 0 && r2 == 0; }
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

    /**
     * Both threads go through a row of states at once, one of them from its end every other time: so they pass each other somewhere.
     * To wait for each other at each state costs much on a busy machine.
     */
    static int run(Supplier<Case> make, int row) throws InterruptedException {
        Case[] states = Stream.generate(make).limit(row).toArray(Case[]::new);
        int forbidden = 0;
        round.set(0);
        Thread other = new Thread(() -> {
            for (int r = 1; r <= TURNS; r++) {
                await(round, r);
                for (int i = 0; i < row; i++)
                    states[r % 2 == 0 ? i : row - 1 - i].second();
                done.set(r);
            }
        });
        done.set(0);
        for (Case c : states)
            c.reset();
        other.start();
        for (int r = 1; r <= TURNS; r++) {
            round.set(r);
            for (Case c : states)
                c.first();
            await(done, r);
            for (Case c : states) {
                if (c.forbidden())
                    forbidden++;
                c.reset();
            }
        }
        other.join();
        return forbidden;
    }

    static void count(Supplier<Case> make, int row) throws InterruptedException {
        System.out.println(make.get().getClass().getSimpleName() + ": forbidden results " + run(make, row));
    }

    public static void main(String[] args) throws InterruptedException {
        count(MessagePassing::new, ROW);
        count(StoreBuffering::new, ROW);
        count(StaticStoreBuffering::new, 1); // there is one state
        count(HandleStoreBuffering::new, ROW);
        count(FinalFields::new, ROW);
        count(Publication::new, ROW);
        count(CompareAndSet::new, ROW);
        count(Monitors::new, ROW);
        count(Increments::new, ROW);
        count(SpinLock::new, ROW);
    }
}
