// SPDX-License-Identifier: Apache-2.0
// Clients of the attach socket that stall keep nobody else out: one that does not read a long answer, one that sends half a request,
// as many as are served at a time. What the first did not read is there when it reads on. HotSpot serves one after another, and waits for
// each without end.
// @only pellucid
// @flags -Djdk.attach.allowAttachSelf=true
// @timeout 90
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

public class AttachStalled {
    static final long pid = ProcessHandle.current().pid();
    static final UnixDomainSocketAddress address = UnixDomainSocketAddress.of("/tmp/.java_pid" + pid);
    static final int PLACES = 64; // clients that are served at a time

    static SocketChannel connect(String request) throws IOException {
        SocketChannel c = SocketChannel.open(address);
        c.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
        return c;
    }
    static String read(SocketChannel c) throws IOException {
        StringBuilder text = new StringBuilder();
        ByteBuffer b = ByteBuffer.allocate(1 << 16);
        while (c.read(b) > 0) {
            text.append(new String(b.array(), 0, b.position(), StandardCharsets.ISO_8859_1));
            b.clear();
        }
        c.close();
        return text.toString();
    }
    static String jcmd(String line) {
        return "1\0jcmd\0" + line + "\0\0\0";
    }
    // A short command's answer, and whether it came while nobody's patience could end.
    static void ask(String when) throws IOException {
        long begin = System.nanoTime();
        String answer = read(connect(jcmd("VM.version")));
        boolean soon = System.nanoTime() - begin < 8_000_000_000L;
        System.out.println(when + ": " + answer.startsWith("0\nPellucid") + (soon ? "" : ", late"));
    }
    public static void main(String[] args) throws Exception {
        VirtualMachine.attach(Long.toString(pid)).detach();
        String once = read(connect(jcmd("VM.flags -all")));
        int times = 60;
        try (SocketChannel half = connect("1\0jcmd\0VM.ver")) {
            SocketChannel stalled = connect(jcmd("VM.flags -all\n".repeat(times)));
            ask("one does not read, one does not ask");
            String all = read(stalled);
            System.out.println("the long answer: " + (all.length() > 2_000_000) + " "
                               + (all.length() == 2 + times * (once.length() - 2)));
            half.write(ByteBuffer.wrap("sion\0\0\0".getBytes(StandardCharsets.UTF_8)));
            System.out.println("the other half: " + read(half).startsWith("0\nPellucid"));
        }
        List<SocketChannel> idle = new ArrayList<>();
        for (int i = 0; i < PLACES - 1; i++)
            idle.add(SocketChannel.open(address));
        ask("all places but one taken");
        idle.add(connect(jcmd("VM.flags -all\n".repeat(times))));
        String answer = read(connect(jcmd("VM.version"))); // waits until the patience with the others ends
        System.out.println("all places taken: " + answer.startsWith("0\nPellucid"));
        for (SocketChannel c : idle)
            c.close();
        ask("after all");
    }
}
