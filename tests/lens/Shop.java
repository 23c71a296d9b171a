// SPDX-License-Identifier: Apache-2.0
// The program of the pictures in docs/lens (pictures.py): a shop on an embedded Tomcat. It has what one looks for in strange programs: a lock that all
// orders want, a search that is slow, a history that only grows, orders that fail and are caught.
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

public class Shop {
    static class OutOfStock extends Exception {
        OutOfStock(String what) {
            super("no " + what + " left");
        }
    }

    record Item(String name, int count) {
    }

    static class Order {
        final long number;
        final List<Item> items = new ArrayList<>();

        Order(long number) {
            this.number = number;
        }

        int total() {
            return items.stream().mapToInt(Item::count).sum();
        }

        boolean fits() {
            if (total() > 100) {
                return false;
            }
            return !items.isEmpty();
        }
    }

    static class Inventory {
        private final Map<String, Integer> left = new HashMap<>();
        private long numbers;

        // All orders wait for one monitor.
        synchronized long reserve(Order order) throws OutOfStock, InterruptedException {
            for (Item item : order.items) {
                int has = left.merge(item.name(), 1000, (a, b) -> a);
                if (has < item.count()) {
                    left.put(item.name(), 1000);
                    throw new OutOfStock(item.name());
                }
                left.put(item.name(), has - item.count());
            }
            Thread.sleep(2); // the payment
            return ++numbers;
        }
    }

    static class History {
        static final Map<Long, Order> orders = new HashMap<>();

        static synchronized void keep(long number, Order order) {
            orders.put(number, order);
        }
    }

    static class Search {
        private static final List<String> NAMES = IntStream.range(0, 2000).mapToObj(i -> "item-" + i * 7919 % 10007).collect(Collectors.toList());

        static List<String> find(String words) {
            Pattern pattern = Pattern.compile(".*" + words + ".*");
            return NAMES.stream().filter(name -> pattern.matcher(name).matches()).sorted().collect(Collectors.toList());
        }
    }

    static class Orders extends HttpServlet {
        private final Inventory inventory = new Inventory();

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            Order order = new Order(Long.parseLong(request.getParameter("n")));
            for (int i = 0; i < 1 + order.number % 8; i++) {
                order.items.add(new Item("item-" + order.number * 31 % 97, 1 + i));
            }
            try {
                if (!order.fits()) {
                    throw new IOException("too large");
                }
                long number = inventory.reserve(order);
                History.keep(number, order);
                response.getWriter().print("order " + number + " of " + order.total());
            } catch (OutOfStock e) {
                response.getWriter().print(e.getMessage());
            } catch (InterruptedException e) {
                response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            }
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print(String.join("\n", Search.find(request.getParameter("q"))));
        }
    }

    public static void main(String[] args) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Path.of(args[0]).toAbsolutePath().toString());
        tomcat.setPort(0);
        tomcat.getConnector();
        Context context = tomcat.addContext("", Path.of(args[0]).toAbsolutePath().toString());
        Tomcat.addServlet(context, "orders", new Orders());
        context.addServletMappingDecoded("/orders", "orders");
        tomcat.start();
        System.out.println(tomcat.getConnector().getLocalPort());
        System.in.read();
        tomcat.stop();
        System.exit(0);
    }
}
