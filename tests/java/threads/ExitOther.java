// SPDX-License-Identifier: Apache-2.0
// System.exit from another thread while main waits; hooks run; daemon and user threads are cut off.
// @quick
// @expect-exit 7
public class ExitOther {
    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            System.out.println("hook " + Thread.currentThread().getThreadGroup().getName());
            try {
                Runtime.getRuntime().addShutdownHook(new Thread());
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
        }));
        Thread spin = new Thread(() -> {
            while (true) {
                Thread.onSpinWait();
            }
        });
        spin.start();
        new Thread(() -> System.exit(7)).start();
        synchronized (spin) {
            spin.wait();
        }
    }
}
