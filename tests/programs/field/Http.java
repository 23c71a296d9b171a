// SPDX-License-Identifier: Apache-2.0
// The JDK's own server and client: synchronous, asynchronous, a large body, HTTPS is left to the Tls test.
import com.sun.net.httpserver.HttpServer;
import java.net.*;
import java.net.http.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Http {
    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/echo", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().add("X-Method", exchange.getRequestMethod());
            exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.createContext("/missing", exchange -> {
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        });
        server.start();
        String base = "http://localhost:" + server.getAddress().getPort();
        HttpClient client = HttpClient.newHttpClient();
        // Fewer at once than the listening socket's queue holds (50): beyond it the kernel resets connections.
        Semaphore underWay = new Semaphore(40);
        List<CompletableFuture<String>> all = IntStream.range(0, 300).peek(n -> underWay.acquireUninterruptibly()).mapToObj(n -> client.sendAsync(
            HttpRequest.newBuilder(URI.create(base + (n % 10 == 9 ? "/missing" : "/echo"))).POST(HttpRequest.BodyPublishers.ofString("body " + n)).build(),
            HttpResponse.BodyHandlers.ofString()).whenComplete((r, e) -> underWay.release()).thenApply(r -> r.statusCode() + " " + r.body())).collect(Collectors.toList());
        for (int n = 0; n < 300; n += 23) {
            System.out.println(all.get(n).get());
        }
        System.out.println(all.stream().map(CompletableFuture::join).filter(s -> s.startsWith("200")).count());
        byte[] large = new byte[3_000_000];
        new Random(1).nextBytes(large);
        HttpResponse<byte[]> back = client.send(HttpRequest.newBuilder(URI.create(base + "/echo")).PUT(HttpRequest.BodyPublishers.ofByteArray(large)).build(),
            HttpResponse.BodyHandlers.ofByteArray());
        System.out.println(back.headers().firstValue("X-Method").get() + " " + Arrays.equals(large, back.body()) + " " + back.version());
        server.stop(0);
        System.exit(0);
    }
}
