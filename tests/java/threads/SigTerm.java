// SPDX-License-Identifier: Apache-2.0
// SIGTERM to oneself runs the hooks; the exit code is 143.
// @quick
// @expect-exit 143
public class SigTerm {
    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        System.out.println("ready");
        new ProcessBuilder("kill", "-TERM", "" + ProcessHandle.current().pid()).start().waitFor();
        Thread.sleep(20000);
        System.out.println("not reached");
    }
}
