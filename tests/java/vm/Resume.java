// SPDX-License-Identifier: Apache-2.0
// Frames that go on in another activation of the interpreter: ten million times in one call from C, so that the C
// stack has to stay as it is, and in each of the ways there are. In builds with PELLUCID_RESUME
// (src/interp/resume_often.h) the child ends by an error otherwise; in others it has nothing to do.
// @modes stress
// @stress 1000000
// @timeout 120
import java.lang.reflect.Method;

public class Resume {
    static final int CALLS = 10_200_000;
    static volatile boolean done;
    static int depth;

    static int add(int x, int y) {
        return x + y;
    }

    static synchronized long locked(long x) {
        return x + 1;
    }

    static int thrower(int n) {
        if (n == 0)
            throw new IllegalStateException("thrown");
        return thrower(n - 1);
    }

    static double up(double x) {
        return x / 2;
    }

    static void calls() {
        int sum = 0;
        for (int i = 0; i < CALLS; i++)
            sum = add(sum, i);
        System.out.println("calls " + sum);
    }

    static void monitors() {
        long n = 0;
        for (int i = 0; i < 1000; i++)
            n = locked(n);
        System.out.println("monitors " + n + " " + Thread.holdsLock(Resume.class));
    }

    static void exceptions() {
        int caught = 0;
        for (int i = 0; i < 1000; i++)
            try {
                thrower(i % 10);
            } catch (IllegalStateException e) {
                caught++;
            } finally {
                depth += i;
            }
        System.out.println("exceptions " + caught + " " + depth);
    }

    static void reflection() throws Exception {
        Method m = Resume.class.getDeclaredMethod("up", double.class);
        double x = 1 << 10;
        for (int i = 0; i < 10; i++)
            x = (Double) m.invoke(null, x);
        System.out.println("reflection " + x);
    }

    // Another thread stops the world, so that this one polls.
    static void polls() throws Exception {
        Thread stopper = new Thread(() -> {
            for (int i = 0; i < 40; i++)
                System.gc();
            done = true;
        });
        stopper.start();
        long turns = 0;
        while (!done)
            turns = locked(turns);
        stopper.join();
        System.out.println("polls " + (turns > 0));
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            ProcessBuilder b = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xint", "-Xss512k", "-cp",
                    System.getProperty("java.class.path"), "Resume", "child");
            b.environment().put("PELLUCID_RESUME", "1:10000000");
            b.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.INHERIT);
            System.out.println("child " + b.start().waitFor());
            return;
        }
        calls();
        monitors();
        exceptions();
        reflection();
        polls();
    }
}
