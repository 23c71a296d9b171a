// SPDX-License-Identifier: Apache-2.0
// Loops that are entered in the middle of their one activation: with locals of all kinds, in methods of all results, nested, of all
// shapes, within monitors, with exceptions, while objects move; and left for what never ran before. What is printed is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.002 -Xmx16m
// @modes asan stress
// @timeout 180
import java.util.ArrayList;

public class Loops {
    static int ticks;
    int own;

    static long kinds(int n) {
        int i = 0, small = -1;
        long wide = 1L << 40;
        float f = 0.25f;
        double d = -1e9;
        String s = "s";
        byte b = 7;
        char c = 'c';
        boolean odd = false;
        Object o = null;
        int[] array = {1, 2, 3};
        while (i < n) {
            wide += small ^ i;
            f = f * 0.5f + i;
            d += wide;
            b += 3;
            c++;
            odd = !odd;
            s = s.length() > 20 ? "s" : s + c;
            o = odd ? s : array;
            array[i % 3] += b;
            i++;
        }
        return wide + (long) f + (long) d + b + c + (odd ? 1 : 0) + s.hashCode() + (o == s ? 5 : 9) + array[0] * 31 + array[1];
    }

    static int sum(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += i * 7;
        return sum;
    }
    static float floats(int n) {
        float f = 0;
        for (int i = 0; i < n; i++)
            f += 0.5f;
        return f;
    }
    static double doubles(int n) {
        double d = 0;
        for (int i = 0; i < n; i++)
            d += 0.125;
        return -d;
    }
    static String strings(int n) {
        String s = "";
        for (int i = 0; i < n; i++)
            s = i % 9 == 0 ? "" : s + i;
        return s;
    }
    static boolean parity(int n) {
        boolean even = true;
        for (int i = 0; i < n; i++)
            even = !even;
        return even;
    }
    static byte narrow(int n) {
        byte b = 0;
        for (int i = 0; i < n; i++)
            b--;
        return b;
    }
    static void nothing(int n) {
        do
            ticks += n & 3;
        while (--n > 0);
    }

    static long nested(int n) {
        long sum = 0;
        outer:
        for (int i = 0; i < n; i++) {
            int k = i;
            for (int j = 0; j < 300; j++) {
                if ((j ^ i) == 255)
                    continue outer;
                sum += j * k;
                k ^= j;
            }
            while (k > 3)
                k >>= 1;
            sum -= k;
        }
        return sum;
    }

    static int machine(int n) { // a switch in a loop, which it goes back to
        int state = 0, seen = 0;
        for (;;) {
            switch (state) {
            case 0: state = n > 500 ? 1 : 3; n--; continue;
            case 1: seen += n; state = 2; break;
            case 2: state = 0; continue;
            default: return seen;
            }
        }
    }

    static int catches(int n) {
        int caught = 0;
        int[] array = new int[4];
        for (int i = 0; i < n; i++)
            try {
                array[i % 3]++;
                if (i % 50 == 0)
                    throw new IllegalStateException("" + i);
                array[i % 101 == 100 ? 4 : 3] += i;
            } catch (IllegalStateException e) {
                caught += e.getMessage().length();
            } catch (ArrayIndexOutOfBoundsException e) {
                caught += 1000;
            }
        return caught + array[3];
    }

    static int throwsOut(int n) {
        int[] array = new int[n];
        for (int i = 0;; i++)
            array[i] = i;
    }

    synchronized int locked(int n) {
        for (int i = 0; i < n; i++)
            own += i ^ own;
        return Thread.holdsLock(this) ? own : -1;
    }
    static synchronized int lockedClass(int n) {
        for (int i = 0; i < n; i++)
            ticks += i & 7;
        return Thread.holdsLock(Loops.class) ? ticks : -1;
    }
    static synchronized int throwsLocked(int n) {
        for (int i = 0;; i++)
            ticks += 100 / (n - i);
    }
    int blocks(Object lock, int n) {
        int sum = 0;
        synchronized (lock) {
            for (int i = 0; i < n; i++) {
                synchronized (this) {
                    for (int j = 0; j < 20; j++)
                        sum += i ^ j;
                    own = sum;
                }
                sum += Thread.holdsLock(lock) && !Thread.holdsLock(this) ? 1 : 1000000;
            }
        }
        return sum;
    }
    static int exchanged(Object lock, int n) { // the local is not what is locked any more
        int sum = 0;
        Object other = lock;
        synchronized (lock) {
            for (int i = 0; i < n; i++) {
                other = i % 2 == 0 ? "other" : lock;
                sum += other == lock ? 2 : 1;
            }
        }
        return Thread.holdsLock(lock) ? -1 : sum;
    }

    static int collected(int n) {
        ArrayList<int[]> kept = new ArrayList<>();
        int sum = 0;
        int[] last = null;
        for (int i = 0; i < n; i++) {
            int[] made = new int[i % 50 + 1];
            made[0] = i;
            if (last != null)
                sum += last[0];
            last = made;
            if (i % 100 == 0)
                kept.add(made);
        }
        for (int[] k : kept)
            sum ^= k[0];
        return sum;
    }

    // Each of these runs for the first time in the middle of the loop.
    static class Late {
        static int count;
        int number = ++count;
    }
    static long leaves(int n) {
        long sum = 0;
        Object o = "o";
        for (int i = 0; i < n; i++) {
            sum += i;
            if (i == n / 5)
                sum += new Late().number;
            if (i == n / 4)
                sum += Math.floorMod(-sum, 1000);
            if (i == n / 3)
                o = new Late[3][i & 7];
            if (i > n / 2 && i % 3 == 0)
                sum -= o instanceof Object[][] ? ((Object[][]) o)[1].length : 100000;
            if (i > n / 2)
                sum += Integer.toString(i).length();
        }
        return sum + Late.count;
    }

    static String thrown(Runnable r) {
        try {
            r.run();
            return "nothing";
        } catch (RuntimeException e) {
            StackTraceElement at = e.getStackTrace()[0];
            return e.getMessage() + " at " + at.getMethodName() + ":" + at.getLineNumber();
        }
    }

    public static void main(String[] args) {
        int n = 20000;
        System.out.println(kinds(n) + " " + kinds(n + 1));
        System.out.println(sum(n) + " " + floats(n) + " " + doubles(n) + " " + strings(n).length() + " " + parity(n) + " " + narrow(n));
        nothing(n);
        System.out.println(ticks + " " + nested(300) + " " + machine(n) + " " + catches(n));
        System.out.println(thrown(() -> throwsOut(5000)) + ", " + thrown(() -> throwsLocked(5000)) + " " + Thread.holdsLock(Loops.class));
        Loops loops = new Loops();
        System.out.println(loops.locked(n) + " " + lockedClass(n) + " " + loops.blocks("lock", 2000) + " " + exchanged("lock", n));
        System.out.println(Thread.holdsLock(loops) + " " + Thread.holdsLock("lock"));
        System.out.println(collected(n) + " " + leaves(n) + " " + leaves(n));
        long all = 0; // and here
        for (int i = 0; i < n; i++)
            all = all * 31 + (i % 1000 == 999 ? sum(i) : i);
        System.out.println(all);
    }
}
