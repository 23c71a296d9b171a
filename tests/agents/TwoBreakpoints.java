// SPDX-License-Identifier: Apache-2.0
// Two environments with a breakpoint at the same place: each is told until it clears its own or is disposed of. On HotSpot one
// environment alone can have the capability.
// @agent ti_two_breakpoints
// @only pellucid
// @quick
public class TwoBreakpoints {
    static native int change(int env, boolean set);

    static native void dispose(int env);

    static native int takeHits(int env);

    static void called() {}

    static void told(String what) {
        called();
        called();
        System.out.println(what + ": " + takeHits(0) + " and " + takeHits(1));
    }

    public static void main(String[] args) {
        told("none");
        System.out.println(change(0, true) + " " + change(1, true) + " " + change(0, true));
        told("both");
        System.out.println(change(0, false) + " " + change(0, false));
        told("the second");
        System.out.println(change(0, true));
        told("both again");
        dispose(1);
        told("the first");
        System.out.println(change(0, false));
        told("none");
    }
}
