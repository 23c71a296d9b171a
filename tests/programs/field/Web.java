// SPDX-License-Identifier: Apache-2.0
// Tomcat embedded: a servlet and a JSP that it compiles, 500 requests from four threads.
import jakarta.servlet.http.*;
import java.io.*;
import java.net.URI;
import java.net.http.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

public class Web {
    static final String JSP = "<%@ page import=\"java.util.*\" %><% int n = Integer.parseInt(request.getParameter(\"n\")); %>"
        + "<ul><% for (int i = 0; i < n % 5; i++) { %><li><%= i * n %></li><% } %></ul>${param.n * 2} <%= new TreeMap<>(Map.of(\"a\", n)) %>";

    public static void main(String[] args) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        Path root = Files.createDirectories(Path.of("root"));
        Files.writeString(root.resolve("page.jsp"), JSP);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Path.of("work").toAbsolutePath().toString());
        tomcat.setPort(0);
        tomcat.getConnector();
        Context context = tomcat.addWebapp("", root.toAbsolutePath().toString());
        context.addServletContainerInitializer(new org.apache.jasper.servlet.JasperInitializer(), null);
        Tomcat.addServlet(context, "sum", new HttpServlet() {
            @Override
            protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
                int sum = request.getInputStream().readAllBytes().length + Integer.parseInt(request.getHeader("X-Add"));
                request.getSession().setAttribute("sum", sum);
                response.getWriter().print("sum " + sum);
            }
        });
        context.addServletMappingDecoded("/sum", "sum");
        tomcat.start();
        String base = "http://localhost:" + tomcat.getConnector().getLocalPort();
        HttpClient client = HttpClient.newHttpClient();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<String>> answers = IntStream.range(0, 500).mapToObj(n -> pool.submit(() -> {
            HttpRequest.Builder request = n % 2 == 0 ? HttpRequest.newBuilder(URI.create(base + "/page.jsp?n=" + n))
                : HttpRequest.newBuilder(URI.create(base + "/sum")).header("X-Add", "" + n).POST(HttpRequest.BodyPublishers.ofString("x".repeat(n)));
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return response.statusCode() + " " + response.body().trim();
        })).collect(Collectors.toList());
        for (int n = 0; n < answers.size(); n++) {
            String answer = answers.get(n).get();
            if (n % 50 < 2) {
                System.out.println(n + ": " + answer);
            }
        }
        System.out.println(client.send(HttpRequest.newBuilder(URI.create(base + "/none")).build(), HttpResponse.BodyHandlers.discarding()).statusCode());
        pool.shutdown();
        tomcat.stop();
        tomcat.destroy();
        System.exit(0);
    }
}
