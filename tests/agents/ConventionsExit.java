// SPDX-License-Identifier: Apache-2.0
// The thread that calls System.exit has its ThreadEnd before VMDeath, with its frames.
// @quick
// @agent ti_conventions
public class ConventionsExit {
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> System.exit(0), "exiting");
        t.start();
        t.join();
    }
}
