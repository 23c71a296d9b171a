// SPDX-License-Identifier: Apache-2.0
// Programs that live of the allocator and the collector, or of threads that hand a turn to each other.
// `Memory <name>` runs one of them and prints a checksum that must be the same on every VM.
import java.util.concurrent.locks.LockSupport;

public class Memory {
    static class Node {
        final Node next;
        int value;

        Node(Node next, int value) {
            this.next = next;
            this.value = value;
        }
    }

    // Small linked objects that die young: 20 million of 24 bytes, at most 1000 of them in use.
    static long churn() {
        long sum = 0;
        for (int i = 0; i < 20000; i++) {
            Node list = null;
            for (int k = 0; k < 1000; k++) {
                list = new Node(list, k ^ i);
            }
            for (Node n = list; n != null; n = n.next) {
                sum += n.value;
            }
        }
        return sum;
    }

    // 1 GB in use: 4 million entries of 256 bytes; ten times, a tenth of them is replaced, spread over all.
    static long live() {
        int count = 4_000_000;
        byte[][] entries = new byte[count][];
        for (int i = 0; i < count; i++) {
            entries[i] = new byte[240];
            entries[i][0] = (byte) i;
        }
        int at = 0;
        for (int i = 0; i < count; i++) {
            at = (at + 1_618_033) % count;
            byte[] entry = new byte[240];
            entry[0] = (byte) (entries[at][0] + i);
            entries[at] = entry;
        }
        long sum = 0;
        for (byte[] entry : entries) {
            sum += entry[0];
        }
        return sum;
    }

    // Eight threads that allocate at the same time; each keeps a window of 5000 lists.
    static long threads() throws InterruptedException {
        long[] sums = new long[8];
        Thread[] threads = new Thread[sums.length];
        for (int t = 0; t < threads.length; t++) {
            int mine = t;
            threads[t] = new Thread(() -> {
                Node[] window = new Node[5000];
                long sum = 0;
                for (int i = 0; i < 400_000; i++) {
                    Node list = null;
                    for (int k = 0; k < 5; k++) {
                        list = new Node(list, k + i);
                    }
                    Node old = window[i % window.length];
                    window[i % window.length] = list;
                    sum += old == null ? 1 : old.value + old.next.value;
                }
                sums[mine] = sum;
            });
            threads[t].start();
        }
        long sum = 0;
        for (int t = 0; t < threads.length; t++) {
            threads[t].join();
            sum += sums[t];
        }
        return sum;
    }

    static final int TURNS = 200_000;
    static int turn;

    static void waitTurns(Object lock, int mine) {
        try {
            synchronized (lock) {
                for (int i = 0; i < TURNS; i++) {
                    while (turn % 2 != mine) {
                        lock.wait();
                    }
                    turn++;
                    lock.notify();
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // Two threads in turn, by Object.wait and notify.
    static long handWait() throws InterruptedException {
        Object lock = new Object();
        Thread other = new Thread(() -> waitTurns(lock, 1));
        other.start();
        waitTurns(lock, 0);
        other.join();
        return turn;
    }

    static volatile int parkTurn;
    static volatile Thread[] parkers;

    static void parkTurns(int mine) {
        for (int i = 0; i < TURNS; i++) {
            while (parkTurn % 2 != mine) {
                LockSupport.park();
            }
            parkTurn = parkTurn + 1;
            LockSupport.unpark(parkers[1 - mine]);
        }
    }

    // Two threads in turn, by park and unpark.
    static long handPark() throws InterruptedException {
        Thread other = new Thread(() -> parkTurns(1));
        parkers = new Thread[] {Thread.currentThread(), other};
        other.start();
        parkTurns(0);
        other.join();
        return parkTurn;
    }

    public static void main(String[] args) throws InterruptedException {
        long check;
        switch (args[0]) {
            case "churn": check = churn(); break;
            case "live": check = live(); break;
            case "threads": check = threads(); break;
            case "wait": check = handWait(); break;
            case "park": check = handPark(); break;
            default: throw new IllegalArgumentException(args[0]);
        }
        System.out.println("check " + check);
    }
}
