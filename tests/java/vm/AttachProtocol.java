// SPDX-License-Identifier: Apache-2.0
// The attach socket as its clients see it: right and wrong requests, garbage, clients that go away, two at once.
// @quick
// @flags -Djdk.attach.allowAttachSelf=true -XX:MinHeapFreeRatio=20
// @mask [0-9]+\.[0-9]+ s\b
import com.sun.tools.attach.VirtualMachine;
import java.io.ByteArrayOutputStream;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

public class AttachProtocol {
    static final long pid = ProcessHandle.current().pid();
    static final Path socket = Path.of("/tmp/.java_pid" + pid);

    static String exchange(byte[] request, boolean end) throws Exception {
        try (SocketChannel c = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            c.connect(UnixDomainSocketAddress.of(socket));
            c.write(ByteBuffer.wrap(request));
            if (end)
                c.shutdownOutput();
            ByteBuffer b = ByteBuffer.allocate(1 << 16);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            try {
                while (c.read(b) > 0) {
                    all.write(b.array(), 0, b.position());
                    b.clear();
                }
            } catch (SocketException e) { // reset: not all that we sent was read
            }
            return all.toString(StandardCharsets.UTF_8);
        }
    }
    static byte[] request(String... texts) {
        StringBuilder s = new StringBuilder("1\0");
        for (int i = 0; i < 4; i++)
            s.append(i < texts.length ? texts[i] : "").append('\0');
        return s.toString().getBytes(StandardCharsets.UTF_8);
    }
    static void ask(String... texts) throws Exception {
        System.out.println(String.join(" | ", texts) + " -> " + exchange(request(texts), false));
    }
    static void bad(String what, String raw) throws Exception {
        System.out.println(what + " -> " + exchange(raw.getBytes(StandardCharsets.UTF_8), true));
    }
    static void agents() throws Exception {
        ask("load", "nosuch", "false", "x");
        ask("load", "/nosuch.so", "true", "x");
        ask("load", "zip", "false", "");
        ask("load");
        ask("jcmd", "JVMTI.agent_load");
        ask("jcmd", "JVMTI.agent_load /nosuch.so");
        ask("jcmd", "JVMTI.agent_load nosuch");
        ask("jcmd", "JVMTI.agent_load ''");
        ask("jcmd", "JVMTI.agent_load \"\" =x");
    }
    static void flags() throws Exception {
        ask("setflag", "HeapDumpPath", "/tmp/x");
        ask("printflag", "HeapDumpPath");
        ask("setflag", "MaxHeapSize", "5");
        ask("setflag", "PrintConcurrentLocks", "1");
        ask("printflag", "PrintConcurrentLocks");
        ask("setflag", "PrintConcurrentLocks", "false");
        ask("printflag", "PrintConcurrentLocks");
        ask("setflag", "PrintConcurrentLocks", "maybe");
        ask("printflag", "MinHeapFreeRatio");
        ask("setflag", "MinHeapFreeRatio", "400");
        ask("setflag", "MinHeapFreeRatio", "abc");
        ask("setflag", "Nosuch", "4");
        ask("printflag", "Nosuch");
        ask("jcmd", "VM.set_flag MaxHeapSize 6");
        ask("jcmd", "VM.set_flag HeapDumpPath");
        ask("jcmd", "VM.set_flag HeapDumpPath /tmp/y");
        ask("printflag", "HeapDumpPath");
    }
    static void commands() throws Exception {
        ask("jcmd", "foo");
        ask("jcmd", "");
        ask("jcmd", "# VM.version");
        ask("jcmd", "stop");
        ask("jcmd", "VM.version x");
        ask("jcmd", "VM.uptime");
        ask("jcmd", "VM.uptime -date=xx");
        ask("jcmd", "VM.uptime -nope");
        ask("jcmd", "VM.uptime -date=\"true");
        ask("jcmd", "VM.uptime '-date'=xx");
        ask("jcmd", "VM.uptime -date='x x'");
        ask("jcmd", "VM.uptime -date -date=false");
        ask("jcmd", "VM.uptime '' =x");
        ask("jcmd", "help 'VM.uptime'x");
        ask("jcmd", "help \tVM.uptime");
        ask("jcmd", "GC.heap_dump ''");
        ask("jcmd", "VM.uptime\nVM.uptime");
        ask("jcmd", "help VM.uptime");
        ask("jcmd", "help 'Thread.print'");
        ask("jcmd", "help VM.version");
        ask("jcmd", "help VM.set_flag");
        ask("jcmd", "help JVMTI.agent_load");
        ask("jcmd", "help nope");
        ask("jcmd", "help VM.version x");
        ask("jcmd", "GC.run");
        ask("jcmd", "VM.native_memory");
    }
    static void garbage() throws Exception {
        ask("bogus");
        ask("averyveryverylongname");
        bad("other protocol", "2\0jcmd\0\0\0\0");
        bad("too long a protocol", "12345678901\0");
        bad("no protocol", "x".repeat(9000));
        bad("half a request", "1\0jcmd\0");
        bad("nothing", "");
        bad("too long an argument", "1\0jcmd\0" + "#".repeat(1025) + "\0\0\0");
        bad("the longest argument", "1\0jcmd\0" + "#".repeat(1024) + "\0\0\0");
        for (int i = 0; i < 20; i++) // clients that do not wait for the answer
            try (SocketChannel c = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
                c.write(ByteBuffer.wrap(request("threaddump")));
            }
    }
    static void crowd() throws Exception {
        Thread[] clients = new Thread[8];
        int[] good = new int[clients.length];
        for (int i = 0; i < clients.length; i++) {
            int n = i;
            clients[i] = new Thread(() -> {
                try {
                    for (int k = 0; k < 5; k++)
                        if (exchange(request("threaddump"), false).startsWith("0\n"))
                            good[n]++;
                } catch (Exception e) {
                    System.out.println(e);
                }
            });
            clients[i].start();
        }
        int sum = 0;
        for (int i = 0; i < clients.length; i++) {
            clients[i].join();
            sum += good[i];
        }
        System.out.println("answers " + sum);
    }
    public static void main(String[] args) throws Exception {
        System.out.println("before " + Files.exists(socket));
        VirtualMachine vm = VirtualMachine.attach(Long.toString(pid));
        System.out.println("after " + Files.exists(socket) + " " + PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
        System.out.println(vm.getSystemProperties().equals(System.getProperties()));
        System.out.println(vm.getAgentProperties().get("sun.java.command"));
        System.out.println(vm.getAgentProperties().keySet().stream().sorted().toList());
        for (Thread t : Thread.getAllStackTraces().keySet())
            if (t.getName().equals("Attach Listener"))
                System.out.println(t + " " + t.isDaemon());
        agents();
        flags();
        commands();
        garbage();
        crowd();
        Files.delete(socket); // somebody cleans /tmp: the next knock makes it anew
        VirtualMachine.attach(Long.toString(pid)).detach();
        ask("jcmd", "VM.uptime");
        vm.detach();
    }
}
