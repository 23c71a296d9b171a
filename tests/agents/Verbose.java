// SPDX-License-Identifier: Apache-2.0
// SetVerboseFlag: what is logged while a kind is on, and that nothing is when it is off.
// @agent ti_verbose
// @mask (?<=\[)[0-9.]+s|source: .*
// @quick
public class Verbose {
    static native void run();

    static native void bound();

    static class First {
    }

    static class Second {
    }

    public static void main(String[] args) {
        run();
        System.out.println("end");
    }
}
