// SPDX-License-Identifier: Apache-2.0
// What the embedding programs call.
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import javax.management.ObjectName;

public class EmbedMain {
    private static final CountDownLatch DESTROYING = new CountDownLatch(1);

    static int start(String[] args) throws Exception {
        System.out.println("start " + String.join(",", args) + " " + System.getProperty("embedded") + " " + Thread.currentThread().getName() + " "
            + Thread.currentThread().isDaemon() + " " + (EmbedMain.class.getClassLoader() == ClassLoader.getSystemClassLoader()));
        Thread user = new Thread(() -> {
            try {
                DESTROYING.await();
            } catch (InterruptedException e) {
                throw new Error(e);
            }
            System.out.println("user thread ends");
        });
        user.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        System.gc();
        return 21;
    }

    // The user thread of start may end.
    static void destroying() {
        DESTROYING.countDown();
    }

    static int twice(int n) {
        System.out.println("twice in " + Thread.currentThread().getName() + " " + Thread.currentThread().getThreadGroup().getName());
        return 2 * n;
    }

    static void fails() {
        throw new IllegalStateException("thrown for C");
    }

    static void leave(int code) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("leaving")));
        System.exit(code);
    }

    // Loads an agent into this VM.
    static void attach(String library, String options) throws Exception {
        Object said = ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "jvmtiAgentLoad",
            new Object[] {new String[] {library, '"' + options + '"'}}, new String[] {String[].class.getName()});
        System.out.println(library + ": " + said);
    }
}
