// SPDX-License-Identifier: Apache-2.0
// Tomcat with a servlet that looks orders up, sorts and writes them as JSON. Prints its port; ends with its standard input.
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

public class Serve extends HttpServlet {
    record Order(int id, String name, double price) { }
    private final ConcurrentHashMap<Integer, List<Order>> orders = new ConcurrentHashMap<>();

    static List<Order> make(int customer) {
        List<Order> all = new ArrayList<>();
        for (int i = 0; i < 60; i++)
            all.add(new Order(customer * 100 + i, "order " + i * 7919 % 61, i * 31 % 17 + customer / 10.0));
        return all;
    }
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int customer = Integer.parseInt(request.getParameter("customer"));
        String filter = request.getParameter("filter").toLowerCase(Locale.ROOT);
        List<Order> found = orders.computeIfAbsent(customer, Serve::make).stream()
            .filter(o -> o.name().contains(filter)).sorted(Comparator.comparing(Order::name).thenComparingInt(Order::id)).collect(Collectors.toList());
        response.setContentType("application/json");
        response.setCharacterEncoding("UTF-8");
        PrintWriter out = response.getWriter();
        out.write("{\"customer\": " + customer + ", \"orders\": [");
        String comma = "";
        for (Order o : found) {
            out.write(comma + "{\"id\": " + o.id() + ", \"name\": \"" + o.name() + "\", \"price\": " + o.price() + "}");
            comma = ", ";
        }
        out.write("]}");
    }

    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[0]);
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1");
        Context context = tomcat.addContext("", args[0]);
        Tomcat.addServlet(context, "orders", new Serve());
        context.addServletMappingDecoded("/orders", "orders");
        tomcat.start();
        System.out.println("port " + tomcat.getConnector().getLocalPort());
        System.out.flush();
        while (System.in.read() >= 0) { }
        tomcat.stop();
    }
}
