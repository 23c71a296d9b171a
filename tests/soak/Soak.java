// SPDX-License-Identifier: Apache-2.0
// Tomcat serves JSPs, which are changed and compiled again all the time, to 50 clients over loopback.
// Arguments: seconds, the longest pause of a client in milliseconds.
import java.net.URI;
import java.net.http.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

public class Soak {
    static final int CLIENTS = 50, PAGES = 10;
    static final Path ROOT = Path.of("root");
    static final AtomicLong requests = new AtomicLong(), failures = new AtomicLong();

    static void write(int page, int version) throws Exception {
        Path fresh = ROOT.resolve("fresh" + page + ".tmp");
        // no session: one for each request would be kept for half an hour
        Files.writeString(fresh, "<%@ page session=\"false\" import=\"java.util.*\" %><% int n = Integer.parseInt(request.getParameter(\"n\")); "
            + "List<Integer> l = new ArrayList<>(); for (int i = 0; i < n; i++) l.add(i * i); %>"
            + "version " + version + " sum <%= l.stream().mapToInt(i -> i).sum() %> ${param.n}");
        // REPLACE_EXISTING would unlink the page first: a request in between finds none
        Files.move(fresh, ROOT.resolve("page" + page + ".jsp"), StandardCopyOption.ATOMIC_MOVE);
    }

    static void client(String base, long end, int number, int pause) {
        HttpClient client = HttpClient.newHttpClient();
        Random random = new Random(number);
        while (System.nanoTime() < end) {
            int n = random.nextInt(100);
            try {
                HttpResponse<String> r = client.send(HttpRequest.newBuilder(URI.create(base + "/page" + random.nextInt(PAGES) + ".jsp?n=" + n)).build(),
                    HttpResponse.BodyHandlers.ofString());
                int sum = 0;
                for (int i = 0; i < n; i++) {
                    sum += i * i;
                }
                requests.incrementAndGet();
                if (r.statusCode() != 200 || !r.body().contains(" sum " + sum + " " + n)) {
                    failures.incrementAndGet();
                    System.out.println(r.statusCode() + ": " + r.body().lines().limit(3).toList());
                }
                Thread.sleep(random.nextInt(pause));
            } catch (Exception e) {
                failures.incrementAndGet();
                System.out.println("client: " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        Files.createDirectories(ROOT);
        for (int i = 0; i < PAGES; i++) {
            write(i, 0);
        }
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Path.of("work").toAbsolutePath().toString());
        tomcat.setPort(0);
        tomcat.getConnector();
        Context context = tomcat.addWebapp("", ROOT.toAbsolutePath().toString());
        context.addServletContainerInitializer(new org.apache.jasper.servlet.JasperInitializer(), null);
        tomcat.start();
        String base = "http://localhost:" + tomcat.getConnector().getLocalPort();
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int number = i;
            Thread t = new Thread(() -> client(base, end, number, Integer.parseInt(args[1])), "client " + i);
            t.start();
            clients.add(t);
        }
        for (int version = 1; System.nanoTime() < end; version++) {
            Thread.sleep(5000);
            write(version % PAGES, version);
        }
        for (Thread t : clients) {
            t.join();
        }
        System.out.println(requests + " requests, " + failures + " failures");
        System.exit(failures.get() == 0 ? 0 : 1);
    }
}
