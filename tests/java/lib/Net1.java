// SPDX-License-Identifier: Apache-2.0
// Sockets on the loopback: blocking, channels with a selector, datagrams, timeouts, refused connections.
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.util.*;

public class Net1 {
    public static void main(String[] args) throws Exception {
        InetAddress lo = InetAddress.getByAddress("lo", new byte[] {127, 0, 0, 1});
        try (ServerSocket ss = new ServerSocket(0, 5, lo)) {
            Thread srv = new Thread(() -> {
                try (Socket s = ss.accept(); BufferedReader r = new BufferedReader(new InputStreamReader(s.getInputStream())); PrintWriter w = new PrintWriter(s.getOutputStream(), true)) {
                    for (String l; (l = r.readLine()) != null;) {
                        w.println("echo " + l);
                    }
                } catch (IOException e) {
                    e.printStackTrace();
                }
            });
            srv.start();
            try (Socket c = new Socket(lo, ss.getLocalPort())) {
                c.setTcpNoDelay(true);
                c.setSoTimeout(10000);
                PrintWriter w = new PrintWriter(c.getOutputStream(), true);
                BufferedReader r = new BufferedReader(new InputStreamReader(c.getInputStream()));
                w.println("one");
                System.out.println(r.readLine());
                w.println("two");
                System.out.println(r.readLine() + " " + c.isConnected() + c.getInetAddress().getHostAddress() + c.getTcpNoDelay());
                c.shutdownOutput();
                System.out.println(r.readLine());
            }
            srv.join();
            ss.setSoTimeout(20);
            try {
                ss.accept();
            } catch (SocketTimeoutException e) {
                System.out.println(e.getMessage());
            }
            Thread accepting = Thread.currentThread();
            Thread closer = new Thread(() -> {
                try {
                    while (!accepting.getStackTrace()[0].getClassName().equals("sun.nio.ch.Net"))
                        Thread.sleep(1);
                    ss.close();
                } catch (Exception e) {
                    e.printStackTrace();
                }
            });
            ss.setSoTimeout(0);
            closer.start();
            try {
                ss.accept();
            } catch (SocketException e) {
                System.out.println(e.getMessage());
            }
        }
        int dead = 1; // that nobody listens at; one that was just given back another program may get
        try {
            new Socket(lo, dead).close();
        } catch (ConnectException e) {
            System.out.println(e.getMessage());
        }
        try (ServerSocketChannel sc = ServerSocketChannel.open(); Selector sel = Selector.open()) {
            sc.bind(new InetSocketAddress(lo, 0));
            sc.configureBlocking(false);
            sc.register(sel, SelectionKey.OP_ACCEPT);
            SocketChannel cl = SocketChannel.open(sc.getLocalAddress());
            cl.write(ByteBuffer.wrap("nio hello".getBytes()));
            StringBuilder got = new StringBuilder();
            while (got.length() < 9) {
                sel.select(5000);
                for (Iterator<SelectionKey> it = sel.selectedKeys().iterator(); it.hasNext();) {
                    SelectionKey k = it.next();
                    it.remove();
                    if (k.isAcceptable()) {
                        SocketChannel a = sc.accept();
                        a.configureBlocking(false);
                        a.register(sel, SelectionKey.OP_READ);
                    } else if (k.isReadable()) {
                        ByteBuffer b = ByteBuffer.allocateDirect(100);
                        ((SocketChannel) k.channel()).read(b);
                        b.flip();
                        while (b.hasRemaining()) {
                            got.append((char) b.get());
                        }
                    }
                }
            }
            cl.close();
            System.out.println(got + " " + sel.selectNow() + " " + sel.keys().size());
            new Thread(() -> {
                try {
                    Thread.sleep(10);
                } catch (InterruptedException e) {
                    throw new Error(e);
                }
                sel.wakeup();
            }).start();
            for (SelectionKey k : sel.keys()) {
                k.cancel();
            }
            System.out.println(sel.select());
        }
        try (DatagramSocket a = new DatagramSocket(0, lo); DatagramSocket b = new DatagramSocket(0, lo)) {
            byte[] d = "udp".getBytes();
            a.send(new DatagramPacket(d, d.length, lo, b.getLocalPort()));
            DatagramPacket p = new DatagramPacket(new byte[10], 10);
            b.setSoTimeout(10000);
            b.receive(p);
            System.out.println(new String(p.getData(), 0, p.getLength()) + (p.getPort() == a.getLocalPort()));
        }
        System.out.println(InetAddress.getByName("127.0.0.1").isLoopbackAddress() + " " + InetAddress.getByName("::1").getAddress().length + " " + new InetSocketAddress("127.0.0.1", 80));
        try {
            new URL("http://127.0.0.1:" + dead + "/").openConnection().getInputStream();
        } catch (ConnectException e) {
            System.out.println("http refused");
        }
    }
}
