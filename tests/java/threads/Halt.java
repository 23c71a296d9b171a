// SPDX-License-Identifier: Apache-2.0
// Runtime.halt: no hooks, the exit code.
// @quick
// @expect-exit 42
public class Halt {
    public static void main(String[] args) {
        Thread never = new Thread(() -> System.out.println("never"));
        Runtime.getRuntime().addShutdownHook(never);
        System.out.println(Runtime.getRuntime().removeShutdownHook(never) + " " + Runtime.getRuntime().removeShutdownHook(never));
        Runtime.getRuntime().addShutdownHook(never);
        System.out.flush();
        Runtime.getRuntime().halt(42);
    }
}
