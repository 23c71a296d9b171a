// SPDX-License-Identifier: Apache-2.0
// JVMPI for an agent of JVM TI that asks when the first class file is read: what can be done then, and what not yet. Each line is
// the number of statements of the specification's check list.
// @only pellucid
// @agent pi_early
// @quick
public class PiEarly {
    static native void seen();

    public static void main(String[] args) {
        System.loadLibrary("pi_early");
        seen();
    }
}
