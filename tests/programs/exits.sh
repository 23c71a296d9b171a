#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The ways in which a program ends: exit codes, hooks, exceptions that nobody catches, threads that go on, outputs that are closed.
set -eu
cat >Ends.java <<'TEXT'
import java.util.concurrent.*;
public class Ends {
    static class Bad {
        static final int x = 1 / Integer.parseInt("0");
    }
    static void hook(Runnable r) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            System.out.println("hook");
            r.run();
        }, "the hook"));
    }
    static Thread thread(boolean daemon, Runnable r) {
        Thread t = new Thread(r, "other");
        t.setDaemon(daemon);
        t.start();
        return t;
    }
    // A thread that prints when the caller, the main thread, has ended.
    static void afterMain(String text) {
        Thread main = Thread.currentThread();
        thread(false, () -> {
            try {
                main.join();
            } catch (InterruptedException e) {
                throw new Error(e);
            }
            System.out.println(text);
        });
    }
    static void sleep(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new Error(e);
        }
    }
    static int deep(int n) {
        return deep(n + 1) + 1;
    }
    static void fail(String text) {
        throw new IllegalStateException(text, new RuntimeException("cause"));
    }
    public static void main(String[] args) throws Exception {
        int code = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        switch (args[0]) {
        case "exit" -> System.exit(code);
        case "halt" -> { hook(() -> {}); Runtime.getRuntime().halt(code); }
        case "hook" -> hook(() -> {});
        case "hook throws" -> hook(() -> { throw new Error("in the hook"); });
        case "hook halts" -> { hook(() -> Runtime.getRuntime().halt(9)); System.exit(3); }
        case "hook adds" -> hook(() -> hook(() -> {}));
        case "hook twice" -> {
            Thread t = new Thread(() -> System.out.println("once"));
            Runtime.getRuntime().addShutdownHook(t);
            Runtime.getRuntime().addShutdownHook(t);
        }
        case "exit in a thread" -> { hook(() -> {}); thread(false, () -> System.exit(6)); sleep(60000); }
        case "throw" -> fail("thrown");
        case "throw checked" -> throw new Exception("checked");
        case "throw and exit" -> { hook(() -> System.out.println("runs")); fail("thrown"); }
        case "throw in a thread" -> thread(false, () -> fail("in a thread")).join();
        case "throw, a thread goes on" -> { afterMain("went on"); fail("main ends"); }
        case "throw without a trace" -> throw new Error("bare", null, false, false) {};
        case "toString throws" -> throw new Error() { public String toString() { throw new RuntimeException("in toString"); } };
        case "handler" -> {
            Thread.setDefaultUncaughtExceptionHandler((t, e) -> System.out.println(t.getName() + ": " + e));
            fail("handled");
        }
        case "handler throws" -> {
            Thread.setDefaultUncaughtExceptionHandler((t, e) -> { throw new RuntimeException("again"); });
            fail("unhandled");
        }
        case "initializer" -> System.out.println(Bad.x);
        case "overflow" -> {
            try {
                deep(0);
            } catch (StackOverflowError e) {
                System.out.println(e);
            }
        }
        case "daemon sleeps" -> thread(true, () -> { try { sleep(100000); } finally { System.out.println("never"); } });
        case "daemon spins" -> { CountDownLatch up = new CountDownLatch(1); thread(true, () -> { up.countDown(); for (;;) ; }); up.await(); }
        case "user thread" -> afterMain("user thread ends");
        case "much" -> {
            for (int i = 0; i < 50000; i++)
                System.out.println("line " + i);
            System.err.println("failed: " + System.out.checkError());
        }
        case "memory" -> {
            long[][] kept = new long[100000][];
            for (int i = 0;; i++)
                kept[i] = new long[1 << 20];
        }
        default -> throw new IllegalArgumentException(args[0]);
        }
        System.out.println("end of main");
    }
}
TEXT
javac -g Ends.java
options=()
t() {
    echo "\$ $*"
    code=0
    java -Xmx32m -cp . "${options[@]}" Ends "$@" >out 2>err </dev/null || code=$?
    sed 's/^/  /' out
    sed 's/^/! /' err
    echo "exit code $code"
}
for code in 0 7 -1 256; do
    t exit $code
done
t halt 3
for how in hook "hook throws" "hook halts" "hook adds" "hook twice" "exit in a thread" throw "throw checked" "throw and exit" "throw in a thread" \
    "throw, a thread goes on" "throw without a trace" "toString throws" handler "handler throws" initializer overflow \
    "daemon sleeps" "daemon spins" "user thread" memory; do
    t "$how"
done
options=(-XX:+ExitOnOutOfMemoryError)
t memory
options=('-XX:OnOutOfMemoryError=echo one; echo %%' -XX:+ExitOnOutOfMemoryError)
t memory
options=(-XX:MaxJavaStackTraceDepth=1)
t throw
options=(-XX:-StackTraceInThrowable)
t throw
echo "closed outputs"
code=0
java -cp . Ends much >/dev/full || code=$?
echo "exit code $code"
java -cp . Ends much >&- || code=$?
echo "exit code $code"
java -cp . Ends much 2>&1 | head -n 1
java -cp . Ends hook 2>&- <&-
