// SPDX-License-Identifier: Apache-2.0
// Breakpoints, locals by slot, single steps and frame pops.
// @agent ti_debug
// @javac -g
// @modes moving
public class Debug {
    static native void breakAt(String name, String signature, boolean isStatic, int location);

    static native void clearAt(String name, String signature, int location);

    static native void step(boolean on);

    native void look();

    static native void lookAt(Thread t);

    int work(int i, long j, float f, double d, String s, int[] a, boolean b) {
        short sum = (short) (i + j);
        {
            char inner = 'x';
            sum += inner;
        }
        System.out.println("work " + i + " " + j + " " + f + " " + d + " " + s + " " + a + " " + b + " " + sum);
        return sum;
    }

    int nested(int i) {
        return work(i, 2, 3.5f, 4.5, "text", new int[1], true) + 1;
    }

    void fail(int depth) {
        if (depth == 0) {
            look();
            throw new IllegalStateException("deep");
        }
        look();
        fail(depth - 1);
    }

    static int small(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += i;
        return sum;
    }

    static int stepped() {
        step(true);
        int a = small(2);
        try {
            if (a == 1)
                throw new RuntimeException("x");
        } catch (RuntimeException e) {
            a = 7;
        }
        step(false);
        return a;
    }

    static volatile boolean done;

    static class Spinner extends Thread {
        int result;
        volatile boolean isSpinning;

        @Override
        public void run() {
            int round = 41;
            isSpinning = true;
            while (!done)
                Thread.onSpinWait();
            result = round;
        }
    }

    public static void main(String[] args) throws Exception {
        Debug d = new Debug();
        String work = "(IJFDLjava/lang/String;[IZ)I";
        breakAt("work", work, false, 0);
        breakAt("work", work, false, 6);
        breakAt("work", work, false, 1000);
        breakAt("look", "()V", false, 0);
        System.out.println(d.nested(1));
        clearAt("work", work, 0);
        clearAt("work", work, 1000);
        System.out.println(d.nested(1));
        try {
            d.fail(1);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        new RuntimeException("loads its classes");
        System.out.println(stepped());
        Spinner spinner = new Spinner();
        spinner.start();
        while (!spinner.isSpinning)
            Thread.sleep(1);
        lookAt(spinner);
        done = true;
        spinner.join();
        System.out.println(spinner.result);
    }
}
