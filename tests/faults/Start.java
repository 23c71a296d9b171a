// SPDX-License-Identifier: Apache-2.0
// A start and an end with what comes there: threads, a shutdown hook, System.exit.
public class Start {
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> System.out.println("thread"));
        try {
            t.start();
            t.join();
        } catch (OutOfMemoryError e) {
            System.out.println(e.getMessage());
        }
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        } catch (OutOfMemoryError e) {
            System.out.println(e.getMessage());
        }
        System.out.println("main");
        System.exit(0);
    }
}
