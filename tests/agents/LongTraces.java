// SPDX-License-Identifier: Apache-2.0
// Traces of long stacks that mix compiled, inlined, interpreted, native and parked frames have what GetFrameLocation gives of each frame; those
// of exceptions have what StackWalker sees.
// @agent ti_long_traces
// @timeout 100
import java.util.*;
import java.util.stream.Collectors;

public class LongTraces {
    static final int WARM = 30, DEEP = 600;
    static volatile boolean looks;
    static final Object ready = new Object();
    static volatile boolean isReady, mayGo;
    static volatile int kept;

    static native void look(Thread t);
    static native void suspend(Thread t, boolean on);
    static native int up(int n); // calls even(n)

    static int small(int n) {
        return odd(n - 1) + 1;
    }

    static int even(int n) {
        if (n <= 0)
            return bottom();
        return n % 16 == 0 ? up(n - 1) + 1 : small(n);
    }

    static int odd(int n) {
        if (n <= 0)
            return bottom();
        return even(n - 1) + (n % 32 == 31 ? rarely(n) : 1);
    }

    static int straight(int n) { // one site again and again
        return n == 0 ? bottom() : straight(n - 1) + 1;
    }

    static int rarely(int n) {
        kept = n;
        return 1;
    }

    static int bottom() {
        if (looks)
            lookHere();
        return 0;
    }

    static void lookHere() {
        look(Thread.currentThread());
        compareThrowable();
        synchronized (ready) {
            isReady = true;
            ready.notifyAll();
        }
        while (!mayGo)
            Thread.onSpinWait();
        kept = kept + 1;
    }

    static void compareThrowable() {
        List<String> thrown = Arrays.stream(new Throwable().getStackTrace())
                                  .map(e -> e.getMethodName() + ":" + e.getLineNumber()).skip(1).collect(Collectors.toList());
        List<String> walked = StackWalker.getInstance().walk(
            s -> s.map(f -> f.getMethodName() + ":" + f.getLineNumber()).skip(1).collect(Collectors.toList()));
        if (!thrown.equals(walked))
            System.out.println("an exception has " + thrown.size() + " frames, a walk " + walked.size() + ", or others");
    }

    static void run(String name, Runnable deep) throws Exception {
        isReady = mayGo = false;
        looks = true;
        Thread t = new Thread(null, deep, "deep", 1 << 28);
        t.start();
        synchronized (ready) {
            while (!isReady)
                ready.wait();
        }
        suspend(t, true);
        look(t);
        suspend(t, false);
        mayGo = true;
        t.join();
        looks = false;
        System.out.println(name + " done");
    }

    public static void main(String[] args) throws Exception {
        Thread warm = new Thread(null, () -> {
            for (int i = 0; i < 20_000; i++)
                kept = even(WARM) + straight(WARM);
        }, "warm", 1 << 28);
        warm.start();
        warm.join();
        run("mixed", () -> kept = even(DEEP));
        run("straight", () -> kept = straight(DEEP));
        run("mixed again", () -> kept = even(DEEP + 3));
        System.out.println(kept > 0);
    }
}
