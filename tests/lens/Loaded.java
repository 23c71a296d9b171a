// SPDX-License-Identifier: Apache-2.0
// A program under load for attach_test.py: a thread that computes, one that allocates, two that want one monitor, and threads that come
// and go.
import java.util.concurrent.ThreadLocalRandom;

public class Loaded {
    static final Object lock = new Object();
    static volatile long sink;
    static volatile Object kept;

    static void compute() {
        for (long x = 1;;) {
            for (int i = 0; i < 100_000; i++)
                x = x * 6364136223846793005L + 1442695040888963407L;
            sink = x;
            pause(1);
        }
    }

    static void allocate() {
        for (;;) {
            for (int i = 0; i < 1000; i++)
                kept = new byte[ThreadLocalRandom.current().nextInt(1000)];
            pause(1);
        }
    }

    static void contend() {
        for (;;) {
            synchronized (lock) {
                pause(1);
            }
        }
    }

    static void comeAndGo() {
        for (;;) {
            start("short", () -> sink++);
            pause(5);
        }
    }

    static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void start(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        start("compute", Loaded::compute);
        start("allocate", Loaded::allocate);
        start("contend-0", Loaded::contend);
        start("contend-1", Loaded::contend);
        start("come and go", Loaded::comeAndGo);
        System.out.println("ready");
        System.in.read();
    }
}
