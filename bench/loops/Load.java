// SPDX-License-Identifier: Apache-2.0
// Asks a server of this machine for /orders on so many connections, each its next request when it has an answer: `Load PORT CONNECTIONS
// WARM SECONDS`. Prints `result <requests> <nanoseconds> <99th percentile, nanoseconds>` of what came after WARM seconds.
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

public class Load extends Thread {
    static int port;
    static long begin, end;
    final int number;
    long[] took = new long[1 << 16];
    int count;
    Exception failed;

    Load(int number) { this.number = number; }

    static String line(InputStream in) throws IOException {
        StringBuilder b = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0)
                throw new IOException("the connection was closed");
            if (c != '\r')
                b.append((char) c);
        }
        return b.toString();
    }
    static int body(InputStream in) throws IOException {
        if (!line(in).contains(" 200"))
            throw new IOException("not served");
        int length = -1;
        for (String h = line(in); !h.isEmpty(); h = line(in))
            if (h.regionMatches(true, 0, "content-length:", 0, 15))
                length = Integer.parseInt(h.substring(15).trim());
        if (length >= 0)
            return in.readNBytes(length).length;
        int all = 0; // in chunks
        for (int n = Integer.parseInt(line(in), 16); n > 0; n = Integer.parseInt(line(in), 16)) {
            all += in.readNBytes(n).length;
            line(in);
        }
        line(in);
        return all;
    }
    void ask(InputStream in, OutputStream out, int i) throws IOException {
        String request = "GET /orders?customer=" + (i * 31 + number) % 300 + "&filter=" + (i % 3 == 0 ? "ORDER" : i % 10) + " HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n";
        long at = System.nanoTime();
        out.write(request.getBytes(StandardCharsets.ISO_8859_1));
        if (body(in) < 20)
            throw new IOException("too little came");
        long now = System.nanoTime();
        if (at < begin)
            return;
        if (count == took.length)
            took = Arrays.copyOf(took, count * 2);
        took[count++] = now - at;
    }
    @Override
    public void run() {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            for (int i = 0; System.nanoTime() < end; i++)
                ask(in, out, i);
        } catch (IOException | NumberFormatException e) {
            failed = e;
        }
    }

    public static void main(String[] args) throws Exception {
        port = Integer.parseInt(args[0]);
        begin = System.nanoTime() + Integer.parseInt(args[2]) * 1_000_000_000L;
        end = begin + Integer.parseInt(args[3]) * 1_000_000_000L;
        Load[] all = new Load[Integer.parseInt(args[1])];
        for (int i = 0; i < all.length; i++)
            (all[i] = new Load(i)).start();
        long[] took = {};
        for (Load l : all) {
            l.join();
            if (l.failed != null)
                throw l.failed;
            int n = took.length;
            took = Arrays.copyOf(took, n + l.count);
            System.arraycopy(l.took, 0, took, n, l.count);
        }
        Arrays.sort(took);
        System.out.println("result " + took.length + " " + (end - begin) + " " + took[(int) (took.length * 0.99)]);
    }
}
