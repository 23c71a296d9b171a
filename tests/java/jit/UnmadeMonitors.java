// SPDX-License-Identifier: Apache-2.0
// Synchronized methods of objects that compiled code does not make, in threads that have entered no monitor before, and in which as many are
// held as there is room for: the object is locked when somebody looks.
// @quick
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync
public class UnmadeMonitors {
    static boolean looking;
    static int unlocked, looks;
    int sum;

    synchronized int add(int n) {
        sum += n;
        if (looking)
            look(this);
        return sum;
    }

    synchronized int addDeep(int n) {
        sum += n;
        if (looking)
            look(this);
        return n == 0 ? sum : sum + deep(n - 1);
    }

    static void look(UnmadeMonitors o) {
        looks++;
        if (!Thread.holdsLock(o))
            unlocked++;
        o.notify();
    }

    static int once(int n) {
        return new UnmadeMonitors().add(n);
    }

    static int deep(int n) {
        return new UnmadeMonitors().addDeep(n);
    }

    static void inThread(Runnable work) throws InterruptedException {
        Thread t = new Thread(work);
        t.start();
        t.join();
        System.out.println(looks + " looks, unlocked: " + unlocked);
    }

    public static void main(String[] args) throws InterruptedException {
        int sum = 0;
        for (int i = 0; i < 300_000; i++)
            sum += once(i & 7) + deep(i & 3);
        System.out.println(sum);
        looking = true;
        inThread(() -> once(1));
        inThread(() -> deep(200));
    }
}
