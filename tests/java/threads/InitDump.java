// SPDX-License-Identifier: Apache-2.0
// A thread dump says for the initialization of which class a thread waits.
import java.util.concurrent.CountDownLatch;

public class InitDump {
    static final CountDownLatch begun = new CountDownLatch(1), go = new CountDownLatch(1);

    static class Slow {
        static {
            begun.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        static void use() {
        }
    }

    static String dumpOf(String thread) throws Exception {
        Process p = new ProcessBuilder(System.getProperty("java.home") + "/bin/jcmd", "" + ProcessHandle.current().pid(), "Thread.print").start();
        String text = new String(p.getInputStream().readAllBytes()), start = "\"" + thread + "\"";
        int from = text.indexOf(start);
        String part = text.substring(from, text.indexOf("\n\n", from));
        return part.replaceFirst(" #.* nid=\\S+", "").replaceFirst(" *\\[0x[0-9a-f]*\\]", "").replaceAll("\\(java.base@[^/]*/", "(");
    }

    public static void main(String[] args) throws Exception {
        new Thread(Slow::use, "first").start();
        begun.await();
        Thread second = new Thread(new Runnable() {
            public void run() {
                Slow.use();
            }
        }, "second");
        second.start();
        String said;
        do {
            said = dumpOf("second");
        } while (!said.contains("in Object.wait()"));
        System.out.println(said);
        go.countDown();
        second.join();
    }
}
