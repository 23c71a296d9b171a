// SPDX-License-Identifier: Apache-2.0
// Stack overflow 1,000 times where compiled, interpreted and native frames are mixed, locked and unlocked ones, on stacks of all sizes:
// each that was entered is left, by its finally clauses, no lock stays, and the next time is as deep.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:CompileThresholdScaling=0.05 -XX:CompileCommand=quiet -XX:CompileCommand=exclude,Overflow::interpreted -Dsun.reflect.inflationThreshold=2147483647 -Xmx64m
// @timeout 300
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

public class Overflow {
    int entered, left, deepest;
    final Object lock = new Object();
    final Method through;
    final int seed;

    Overflow(int seed) throws NoSuchMethodException {
        this.seed = seed;
        through = Overflow.class.getDeclaredMethod("next", int.class);
    }

    int next(int n) {
        if (n > deepest)
            deepest = n;
        switch ((n * 7 + seed) % 11) {
        case 0:
        case 1: return interpreted(n + 1, n * 3L);
        case 2: return reflected(n + 1);
        case 3: return locked(n + 1);
        case 4: return lockedBlock(n + 1, 0.5, n);
        case 5: return catching(n + 1);
        default: return compiled(n + 1, n, n * 2L, n / 2.0);
        }
    }

    int compiled(int n, int a, long b, double c) {
        entered++;
        try {
            return next(n) + a + (int) b + (int) c;
        } finally {
            left++;
        }
    }
    int interpreted(int n, long a) {
        entered++;
        try {
            return next(n) + (int) a;
        } finally {
            left++;
        }
    }
    int reflected(int n) {
        entered++;
        try {
            return (Integer) through.invoke(this, n);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error)
                throw (Error) e.getCause();
            throw new IllegalStateException(e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        } finally {
            left++;
        }
    }
    synchronized int locked(int n) { return next(n) + 1; }
    int lockedBlock(int n, double a, int b) {
        synchronized (lock) {
            return next(n) + (int) a + b;
        }
    }
    int catching(int n) {
        try {
            return next(n) - 1;
        } catch (IllegalStateException e) {
            return 0;
        }
    }

    // How deep it comes.
    int overflow() {
        entered = left = deepest = 0;
        try {
            next(1);
            throw new IllegalStateException("no overflow");
        } catch (StackOverflowError e) {
            if (Thread.holdsLock(this) || Thread.holdsLock(lock))
                throw new IllegalStateException("locked");
        }
        if (entered != left)
            throw new IllegalStateException(entered + " entered, " + left + " left");
        return deepest;
    }

    static int run(int seed, int times) {
        try {
            Overflow o = new Overflow(seed);
            int least = Integer.MAX_VALUE;
            for (int i = 0; i < times; i++)
                least = Math.min(least, o.overflow());
            return least;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    static int on(long stack, int seed, int times) throws InterruptedException {
        int[] least = new int[1];
        Thread t = new Thread(null, () -> least[0] = run(seed, times), "overflows", stack);
        t.start();
        t.join();
        return least[0];
    }

    public static void main(String[] args) throws InterruptedException {
        for (int seed = 0; seed < 10; seed++)
            if (on(180 << 10, seed, 100) < 100)
                System.out.println("not deep: " + seed);
        int small = on(512 << 10, 1, 20), large = on(8 << 20, 1, 3), largest = on(64 << 20, 1, 1);
        System.out.println(large > 4 * small && largest > 4 * large);
        if (args.length > 0)
            System.out.println(small + " " + large + " " + largest);
    }
}
