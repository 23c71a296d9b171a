// SPDX-License-Identifier: Apache-2.0
// Clients of the attach socket: an agent is loaded, threads, classes and heap are dumped. A request whose answer has an error, or
// that gets none, is said and the next one is tried.
// @flags -Djdk.attach.allowAttachSelf=true -Xmx64m
import com.sun.tools.attach.VirtualMachine;
import java.io.ByteArrayOutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

public class Attach {
    static final long pid = ProcessHandle.current().pid();

    static void giveUpLater() {
        try {
            Thread.sleep(10_000);
            System.out.println("no answer");
            System.exit(1);
        } catch (InterruptedException e) { // there was one
        }
    }

    static void ask(String... texts) {
        StringBuilder s = new StringBuilder("1\0");
        for (int i = 0; i < 4; i++)
            s.append(i < texts.length ? texts[i] : "").append('\0');
        try (SocketChannel c = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            c.connect(UnixDomainSocketAddress.of(Path.of("/tmp/.java_pid" + pid)));
            Thread patience = new Thread(Attach::giveUpLater); // where no connection is taken any more, nobody answers
            patience.setDaemon(true);
            patience.start();
            c.write(ByteBuffer.wrap(s.toString().getBytes(StandardCharsets.UTF_8)));
            ByteBuffer b = ByteBuffer.allocate(1 << 16);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            while (c.read(b) > 0) {
                all.write(b.array(), 0, b.position());
                b.clear();
            }
            patience.interrupt();
            String answer = all.toString(StandardCharsets.UTF_8);
            System.out.println(String.join(" ", texts) + ": " + (answer.startsWith("0\n") ? "answered" : answer));
        } catch (Exception | OutOfMemoryError e) {
            System.out.println(texts[0] + ": " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        try {
            VirtualMachine.attach("" + pid).detach();
        } catch (Exception | OutOfMemoryError e) {
            System.out.println("attach: " + e);
        }
        ask("properties");
        ask("threaddump");
        ask("jcmd", "help");
        ask("jcmd", "GC.class_histogram");
        ask("dumpheap", "heap.hprof", "-live");
        ask("inspectheap", "-live");
        ask("jcmd", "VM.class_hierarchy");
        ask("jcmd", "VM.log output=events.log what=class+load");
        ask("load", System.getProperty("java.library.path") + "/libti_count.so", "true", "");
        ask("setflag", "HeapDumpPath", "x");
    }
}
