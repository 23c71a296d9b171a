// SPDX-License-Identifier: Apache-2.0
// PopFrame and ForceEarlyReturn asked for in the MethodExit callback of the frame itself, which returns or throws.
// @agent ti_leave_on_exit
// @quick
public class LeaveOnExit {
    // 1: pop, 2: force 42 to be returned; at the next exit of `work`.
    static native void arm(int how);

    static int calls;

    static synchronized int work(boolean fails, int n) {
        calls++;
        if (fails && calls == 1)
            throw new IllegalStateException("first call");
        return calls * 10 + n;
    }

    static void run(int how, boolean fails) {
        calls = 0;
        arm(how);
        try {
            System.out.println("returned " + work(fails, 5));
        } catch (IllegalStateException e) {
            System.out.println("caught " + e.getMessage());
        }
        System.out.println("calls " + calls + " locked " + Thread.holdsLock(LeaveOnExit.class));
    }

    public static void main(String[] args) {
        run(0, false);
        run(0, true);
        run(1, false);
        run(1, true);
        run(2, false);
        run(2, true);
    }
}
