// SPDX-License-Identifier: Apache-2.0
// Raw monitors between an agent's threads that are not attached and one that is. HotSpot 17 lets them enter, and crashes when
// they contend or wait.
// @only pellucid
// @agent ti_unattached
// @quick
public class UnattachedMonitors {
    static native int count(int threads, int each); // so often each of them, and the caller, adds one

    static native int turns(int each); // of one of them and the caller

    public static void main(String[] args) {
        System.out.println("counted " + count(3, 20_000));
        System.out.println("took turns " + turns(1000));
    }
}
