// SPDX-License-Identifier: Apache-2.0
// Twenty clients of the attach socket at once, some of which die in the middle of their request or of the answer: the others get theirs, and
// nothing is left open.
// @flags -Djdk.attach.allowAttachSelf=true
import com.sun.tools.attach.VirtualMachine;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

public class AttachCrowd {
    static final long pid = ProcessHandle.current().pid();
    static final UnixDomainSocketAddress address = UnixDomainSocketAddress.of("/tmp/.java_pid" + pid);
    static final AtomicInteger answers = new AtomicInteger(), failures = new AtomicInteger();
    static final String[] commands = {"VM.version", "VM.flags -all", "VM.system_properties", "Thread.print"};

    static void send(SocketChannel c, String text) throws Exception {
        c.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }
    static void exchange(int n) throws Exception {
        try (SocketChannel c = SocketChannel.open(address)) {
            if (n % 5 == 0)
                return;
            send(c, "1\0jcmd\0" + commands[n % commands.length]);
            if (n % 5 == 1)
                return;
            send(c, "\0\0\0");
            ByteBuffer b = ByteBuffer.allocate(1 << 16);
            boolean first = true;
            while (c.read(b) > 0) {
                if (first && b.get(0) == '0' && n % 5 != 2)
                    answers.incrementAndGet();
                if (n % 5 == 2)
                    return;
                first = false;
                b.clear();
            }
        }
    }
    static long sockets() throws Exception {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(f -> {
                try {
                    return Files.readSymbolicLink(f).toString().startsWith("socket:");
                } catch (Exception e) {
                    return false;
                }
            }).count();
        }
    }
    public static void main(String[] args) throws Exception {
        VirtualMachine.attach(Long.toString(pid)).detach();
        long before = sockets();
        Thread[] clients = new Thread[20];
        for (int i = 0; i < clients.length; i++) {
            int first = i;
            clients[i] = new Thread(() -> {
                for (int n = first; n < first + 20; n++)
                    try {
                        exchange(n);
                    } catch (Exception e) {
                        if (failures.incrementAndGet() == 1)
                            e.printStackTrace();
                    }
            });
            clients[i].start();
        }
        for (Thread t : clients)
            t.join();
        System.out.println("answers " + answers + " failures " + failures);
        exchange(4);
        long end = System.nanoTime() + 20_000_000_000L;
        while (sockets() > before && System.nanoTime() < end)
            Thread.sleep(10);
        System.out.println("left open: " + Math.max(0, sockets() - before));
    }
}
