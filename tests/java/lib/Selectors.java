// SPDX-License-Identifier: Apache-2.0
// NIO selectors: sockets, pipes and datagrams on one, wake-ups, interrupts, keys cancelled and channels closed, accepts and
// connects, gathering and scattering.
import java.io.IOException;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

public class Selectors {
    static String ops(SelectionKey k) {
        return (k.isValid() && k.isReadable() ? "R" : "") + (k.isValid() && k.isWritable() ? "W" : "") + (k.isValid() && k.isAcceptable() ? "A" : "")
            + (k.isValid() && k.isConnectable() ? "C" : "");
    }
    // Fifty clients, each of which says a line and is answered by the one thread of the server.
    static void server() throws Exception {
        Selector selector = Selector.open();
        ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0), 100);
        listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort(), clients = 50;
        List<Thread> threads = new ArrayList<>();
        StringBuffer wrong = new StringBuffer();
        for (int i = 0; i < clients; i++) {
            int n = i;
            Thread t = new Thread(() -> {
                try (SocketChannel c = SocketChannel.open(new InetSocketAddress("127.0.0.1", port))) {
                    String said = "client " + n + "x".repeat(n * 100);
                    c.write(new ByteBuffer[] {ByteBuffer.wrap(said.getBytes()), ByteBuffer.wrap("\n".getBytes())});
                    ByteBuffer b = ByteBuffer.allocateDirect(said.length() + 9);
                    while (b.hasRemaining() && c.read(b) >= 0) {
                    }
                    b.flip();
                    if (!StandardCharsets.US_ASCII.decode(b).toString().equals("answer: " + said + "\n")) {
                        wrong.append(n).append(' ');
                    }
                } catch (IOException e) {
                    wrong.append(e);
                }
            });
            t.start();
            threads.add(t);
        }
        for (int ended = 0; ended < clients;) {
            selector.select();
            for (Iterator<SelectionKey> it = selector.selectedKeys().iterator(); it.hasNext();) {
                SelectionKey k = it.next();
                it.remove();
                if (k.isAcceptable()) {
                    SocketChannel c = listener.accept();
                    c.configureBlocking(false).register(selector, SelectionKey.OP_READ, new StringBuilder("answer: "));
                } else if (k.isReadable()) {
                    ByteBuffer b = ByteBuffer.allocate(100);
                    StringBuilder line = (StringBuilder) k.attachment();
                    if (((SocketChannel) k.channel()).read(b) < 0) {
                        k.channel().close();
                        ended++;
                        continue;
                    }
                    line.append(StandardCharsets.US_ASCII.decode(b.flip()));
                    if (line.charAt(line.length() - 1) == '\n') {
                        k.attach(ByteBuffer.wrap(line.toString().getBytes()));
                        k.interestOps(SelectionKey.OP_WRITE);
                    }
                } else if (k.isWritable()) {
                    ByteBuffer b = (ByteBuffer) k.attachment();
                    ((SocketChannel) k.channel()).write(b);
                    if (!b.hasRemaining()) {
                        k.interestOpsAnd(0);
                        k.interestOpsOr(SelectionKey.OP_READ);
                        k.attach(new StringBuilder());
                    }
                }
            }
        }
        for (Thread t : threads) {
            t.join();
        }
        System.out.println("wrong: " + wrong + " keys " + (selector.keys().size() >= 1));
        listener.close();
        System.out.println(selector.selectNow() + " " + selector.keys().size());
        selector.close();
        try {
            selector.select();
        } catch (ClosedSelectorException e) {
            System.out.println(e);
        }
    }
    static void pipes() throws Exception {
        Selector selector = Selector.open();
        Pipe p = Pipe.open();
        p.source().configureBlocking(false);
        p.sink().configureBlocking(false);
        SelectionKey in = p.source().register(selector, SelectionKey.OP_READ), out = p.sink().register(selector, SelectionKey.OP_WRITE);
        System.out.println(selector.selectNow() + ops(in) + ops(out) + selector.selectNow());
        int written = 0;
        for (int n; (n = p.sink().write(ByteBuffer.allocate(4096))) > 0;) {
            written += n;
        }
        selector.selectedKeys().clear();
        System.out.println(written + " " + selector.select(1000) + ops(in) + ops(out));
        out.cancel();
        ByteBuffer[] parts = {ByteBuffer.allocate(10), ByteBuffer.allocate(20)};
        System.out.println(p.source().read(parts) + " " + parts[1].position() + " " + out.isValid() + " " + selector.selectNow(k -> System.out.println("given " + ops(k))));
        p.sink().close();
        p.source().close();
        System.out.println(selector.selectNow() + " " + selector.keys().size() + " " + in.isValid());
        try {
            in.interestOps();
        } catch (CancelledKeyException e) {
            System.out.println(e);
        }
        Thread main = Thread.currentThread();
        new Thread(() -> {
            while (main.getState() != Thread.State.RUNNABLE) {
                Thread.yield();
            }
            selector.wakeup();
        }).start();
        System.out.println("woken " + selector.select());
        selector.wakeup();
        System.out.println("woken before " + selector.select());
        main.interrupt();
        System.out.println("interrupted " + selector.select() + Thread.interrupted());
        selector.close();
    }
    static void others() throws Exception {
        Selector selector = Selector.open();
        DatagramChannel d = DatagramChannel.open().bind(new InetSocketAddress("127.0.0.1", 0)), e = DatagramChannel.open();
        d.configureBlocking(false).register(selector, SelectionKey.OP_READ);
        e.send(ByteBuffer.wrap("datagram".getBytes()), d.getLocalAddress());
        selector.select(10000);
        ByteBuffer b = ByteBuffer.allocate(5);
        System.out.println((d.receive(b) != null) + " " + new String(b.array()));
        e.close();
        d.close();
        SocketChannel c = SocketChannel.open();
        c.configureBlocking(false);
        ServerSocketChannel s = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
        boolean at_once = c.connect(s.getLocalAddress());
        SelectionKey k = c.register(selector, SelectionKey.OP_CONNECT);
        if (!at_once) {
            selector.select(10000);
            System.out.println(ops(k) + c.finishConnect() + c.isConnected());
        }
        try {
            c.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IllegalArgumentException x) {
            System.out.println(x);
        }
        try {
            c.configureBlocking(true);
        } catch (IllegalBlockingModeException x) {
            System.out.println(x);
        }
        c.close();
        s.close();
        selector.close();
        SocketChannel refused = SocketChannel.open();
        try {
            refused.connect(new InetSocketAddress("127.0.0.1", 1));
        } catch (ConnectException x) {
            System.out.println(x);
        }
        System.out.println(refused.isOpen());
    }

    public static void main(String[] args) throws Exception {
        server();
        pipes();
        others();
    }
}
