// SPDX-License-Identifier: Apache-2.0
// What agent_test.py and whole_test.py look at: each command on standard input does something of known size, and is answered by a line.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.Deflater;

public class LensTarget {
    static class Marked {
        final long value = 1;
    }

    static final Object lock = new Object(), waiting = new Object(), first = new Object(), second = new Object();
    static volatile long sink;
    static volatile boolean busy, held;
    static volatile int turns;
    static Object[] kept = new Object[1000];

    static void spin(int units) {
        long x = sink;
        for (int i = 0; i < units * 2000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        sink = x;
    }

    static void fifty() {
        spin(50);
    }

    static void thirty() {
        spin(30);
    }

    static void twenty() {
        spin(20);
    }

    static void hot() {
        while (busy) {
            fifty();
            thirty();
            twenty();
        }
    }

    static Thread start(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void sleep(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void awaitState(Thread thread, Thread.State state) {
        while (thread.getState() != state) {
            sleep(1);
        }
    }

    // Waits of a thread for a monitor, while main holds it for 200 ms each time.
    static void contend(int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            Thread waiter;
            synchronized (lock) {
                waiter = start("waiter", () -> {
                    synchronized (lock) {
                        sink++;
                    }
                });
                awaitState(waiter, Thread.State.BLOCKED);
                sleep(200);
            }
            waiter.join();
        }
    }

    static void waitAndPark() throws InterruptedException {
        Thread thread = start("parker", () -> {
            try {
                synchronized (waiting) {
                    waiting.wait(200);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            long end = System.nanoTime() + 300_000_000L;
            for (long left; (left = end - System.nanoTime()) > 0;) {
                LockSupport.parkNanos(waiting, left);
            }
        });
        thread.join();
    }

    static void allocate() {
        for (int i = 0; i < 1000; i++) {
            Object marked = new Marked();
            kept[i] = i < 100 ? marked : null;
        }
    }

    static final class Litter {
    }

    // Slowly, so that each is told; nobody holds them any more at the end.
    static void litter() {
        Object[] all = new Object[150_000];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Litter();
            if (i % 500 == 0)
                sleep(2);
        }
    }

    static final class Leak {
        static final ArrayList<byte[]> held = new ArrayList<>();
    }

    // 1,000 arrays that nobody else has.
    static void leak() {
        for (int i = 0; i < 1000; i++) {
            Leak.held.add(new byte[10_000]);
        }
    }

    static byte[] threeQuarters() {
        return new byte[2984];
    }

    static byte[] oneQuarter() {
        return new byte[984];
    }

    // 400,000 pairs of 3,000 and 1,000 bytes, headers included.
    static void churn() {
        for (int i = 0; i < 400_000; i++) {
            kept[501] = threeQuarters();
            kept[502] = oneQuarter();
        }
    }

    static void fail(int i) {
        throw new IllegalStateException("planted " + i % 3);
    }

    static void fail123() {
        for (int i = 0; i < 123; i++) {
            try {
                fail(i);
            } catch (IllegalStateException e) {
                sink++;
            }
        }
    }

    static int priced(int count, String what) {
        return count * what.length();
    }

    static void call() {
        for (int i = 1; i <= 5; i++) {
            sink += priced(i, "apple");
        }
    }

    static final class Covered {
        static int sign(int x) {
            if (x > 0) {
                return 1; // never
            }
            int y = x - 1;
            return y < 0 ? -1 : 0; // one way only
        }
    }

    static void lockBoth(Object one, Object other, Thread[] peer, int who) {
        synchronized (one) {
            while (peer[1 - who] == null || !Thread.holdsLock(one)) {
                sleep(1);
            }
            sleep(100);
            synchronized (other) {
                sink++;
            }
        }
    }

    static void deadlock() {
        Thread[] both = new Thread[2];
        both[0] = start("dead-0", () -> lockBoth(first, second, both, 0));
        both[1] = start("dead-1", () -> lockBoth(second, first, both, 1));
        awaitState(both[0], Thread.State.BLOCKED);
        awaitState(both[1], Thread.State.BLOCKED);
    }

    // For four seconds a thread waits for a monitor nearly all the time, but never long.
    static void relay() throws InterruptedException {
        long end = System.nanoTime() + 4_000_000_000L;
        Thread waiter = start("relay", () -> {
            while (System.nanoTime() < end) {
                while (!held && System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
                synchronized (lock) {
                    turns++;
                }
            }
        });
        while (System.nanoTime() < end) {
            int before = turns;
            synchronized (lock) {
                held = true;
                sleep(100);
                held = false;
            }
            while (turns == before && waiter.isAlive()) {
                Thread.onSpinWait();
            }
        }
        waiter.join();
    }

    static void hold(ReentrantLock fair, int ms) {
        fair.lock();
        sleep(ms);
        fair.unlock();
    }

    // The third waits while the lock goes from the first to the second.
    static void queue() throws InterruptedException {
        ReentrantLock fair = new ReentrantLock(true);
        int[] ms = {500, 2500, 0};
        Thread last = null;
        for (int i = 0; i < ms.length; i++) {
            int mine = ms[i];
            last = start("queue-" + i, () -> hold(fair, mine));
            awaitState(last, i == 0 ? Thread.State.TIMED_WAITING : Thread.State.WAITING);
        }
        last.join();
    }

    static void even(long end) {
        while (System.nanoTime() < end) {
            spin(1);
        }
    }

    static void odd(long end) {
        while (System.nanoTime() < end) {
            spin(1);
        }
    }

    // Threads of 20 ms, one after the other: a name of each two has a method of its own.
    static void turnByTurn() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            boolean isOdd = i % 2 != 0;
            start(isOdd ? "odd" : "even", () -> {
                long end = System.nanoTime() + 20_000_000L;
                if (isOdd) {
                    odd(end);
                } else {
                    even(end);
                }
            }).join();
        }
    }

    static void deflate() {
        byte[] in = new byte[1 << 20], out = new byte[1 << 21];
        for (int i = 0; i < in.length; i++) {
            in[i] = (byte)(i * 31 ^ i >> 7);
        }
        Deflater deflater = new Deflater(9);
        while (busy) {
            deflater.reset();
            deflater.setInput(in);
            deflater.finish();
            sink += deflater.deflate(out);
        }
        deflater.end();
    }

    static void threads(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            start("short-" + i, () -> spin(1)).join();
        }
    }

    static void flood(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            start("flood-" + i, () -> {
                byte[][] last = new byte[1][];
                for (int k = 0; k < 10; k++) {
                    last[0] = new byte[100_000];
                }
            }).join();
        }
    }

    // Each is a plain fork, then exec.
    static void processes(int count) throws Exception {
        System.setProperty("jdk.lang.Process.launchMechanism", "FORK");
        for (int i = 0; i < count; i++) {
            int code = new ProcessBuilder("true").start().waitFor();
            if (code != 0) {
                throw new IllegalStateException("a child ended with " + code);
            }
        }
    }

    static void run(String command) throws Exception {
        switch (command) {
        case "hot":
            busy = true;
            start("hot", LensTarget::hot);
            break;
        case "deflate":
            busy = true;
            start("deflate", LensTarget::deflate);
            break;
        case "cold": busy = false; break;
        case "contend": contend(3); break;
        case "wait": waitAndPark(); break;
        case "leak": leak(); break;
        case "churn": churn(); break;
        case "throw": fail123(); break;
        case "call": call(); break;
        case "cover": sink += Covered.sign(-5); break;
        case "allocate": allocate(); break;
        case "litter": litter(); break;
        case "fill":
            for (int i = 0; i < 4000; i++) {
                kept[500] = new byte[1000];
            }
            kept[500] = null;
            break;
        case "collect": System.gc(); break;
        case "deadlock": deadlock(); break;
        case "relay": relay(); break;
        case "queue": queue(); break;
        case "turns": turnByTurn(); break;
        case "flood": flood(200); break;
        case "threads": threads(200); break;
        case "processes": processes(20); break;
        case "sleeper": start("sleeper", () -> sleep(600_000)); break;
        default: throw new IllegalArgumentException(command);
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String command; (command = in.readLine()) != null;) {
            run(command);
            System.out.println(command);
        }
    }
}
