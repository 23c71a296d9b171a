// SPDX-License-Identifier: Apache-2.0
// The callbacks of an environment are timed anew where another one was that had very many.
// @only pellucid
// @agent ti_costs_again
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+JitSync
public class CostsAgain {
    static native void begin();
    static native void end();
    static native boolean timed();

    static int called(int n) { return n + 1; }

    static int calls(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum = called(sum);
        return sum;
    }

    public static void main(String[] args) {
        begin();
        calls(3000000);
        System.out.println(timed());
        end();
        begin();
        calls(200000);
        System.out.println(timed());
    }
}
