// SPDX-License-Identifier: Apache-2.0
// SIGINT handled by sun.misc.Signal, raised by it too; then the default one runs the hooks; the exit code is 130.
// @quick
// @expect-exit 130
import java.util.concurrent.CountDownLatch;

public class SigInt {
    public static void main(String[] args) throws Exception {
        CountDownLatch l = new CountDownLatch(1);
        sun.misc.Signal usr = new sun.misc.Signal("USR2");
        sun.misc.Signal.handle(usr, s -> {
            System.out.println("got " + s.getName() + " " + s.getNumber());
            l.countDown();
        });
        sun.misc.Signal.raise(usr);
        l.await();
        try {
            sun.misc.Signal.handle(new sun.misc.Signal("SEGV"), s -> {});
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        try {
            System.out.println(new sun.misc.Signal("NOPE"));
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        new ProcessBuilder("kill", "-INT", "" + ProcessHandle.current().pid()).start().waitFor();
        Thread.sleep(20000);
        System.out.println("not reached");
    }
}
