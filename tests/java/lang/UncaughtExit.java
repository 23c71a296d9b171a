// SPDX-License-Identifier: Apache-2.0
// An uncaught exception in main: the trace on stderr, exit code 1, shutdown hooks run.
// @quick
// @expect-exit 1
// @stderr
public class UncaughtExit {
    static void thrower(int i) {
        throw new IllegalStateException("uncaught " + i, new RuntimeException("the cause"));
    }

    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        System.out.println("before");
        thrower(7);
    }
}
