// SPDX-License-Identifier: Apache-2.0
// H2 in memory: each operation is a transaction of inserts, updates and deletes, and three queries.
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

public class Sql {
    static final int ORDERS = 20_000, CUSTOMERS = 500, BATCH = 40;
    static long sum;

    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection("jdbc:h2:mem:loop")) {
            c.setAutoCommit(false);
            try (Statement s = c.createStatement()) {
                s.execute("create table customer(id int primary key, name varchar(40), city varchar(20))");
                s.execute("create table orders(id int primary key, customer int, amount int, state varchar(10), note varchar(80))");
                s.execute("create index by_customer on orders(customer)");
            }
            try (PreparedStatement p = c.prepareStatement("insert into customer values(?, ?, ?)")) {
                for (int i = 0; i < CUSTOMERS; i++) {
                    p.setInt(1, i);
                    p.setString(2, "customer " + i);
                    p.setString(3, "city" + i % 17);
                    p.executeUpdate();
                }
            }
            for (int i = 0; i < ORDERS / BATCH; i++)
                insert(c, i * BATCH);
            c.commit();
            Meter.measure(Integer.parseInt(args[0]), number -> operation(c, number));
            if (sum == 0)
                throw new AssertionError("nothing was found");
        }
    }
    static void insert(Connection c, int from) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("insert into orders values(?, ?, ?, 'new', ?)")) {
            for (int i = from; i < from + BATCH; i++) {
                p.setInt(1, i);
                p.setInt(2, i * 31 % CUSTOMERS);
                p.setInt(3, i * 7919 % 1000);
                p.setString(4, "order number " + i + " of many");
                p.addBatch();
            }
            p.executeBatch();
        }
    }
    static void operation(Connection c, int number) throws SQLException {
        int oldest = number * BATCH;
        try (PreparedStatement p = c.prepareStatement("delete from orders where id between ? and ?")) {
            p.setInt(1, oldest);
            p.setInt(2, oldest + BATCH - 1);
            p.executeUpdate();
        }
        insert(c, oldest + ORDERS);
        try (PreparedStatement p = c.prepareStatement("update orders set state = 'paid', amount = amount + 1 where customer = ?")) {
            p.setInt(1, number * 7 % CUSTOMERS);
            p.executeUpdate();
        }
        c.commit();
        query(c, "select o.id, o.amount, c.name from orders o join customer c on c.id = o.customer where o.customer = ? order by o.amount desc", number % CUSTOMERS);
        query(c, "select count(*), sum(amount), max(note) from orders where id > ? and note like '%7%' and state = 'new'", oldest + ORDERS - 2000);
        if (number % 10 == 0)
            query(c, "select count(*), sum(o.amount) total, c.city from orders o join customer c on c.id = o.customer where o.amount > ? group by c.city order by total", number % 900);
    }
    static void query(Connection c, String sql, int parameter) throws SQLException {
        try (PreparedStatement p = c.prepareStatement(sql)) {
            p.setInt(1, parameter);
            try (ResultSet r = p.executeQuery()) {
                while (r.next())
                    sum += r.getLong(1) + r.getLong(2) + String.valueOf(r.getString(3)).length();
            }
        }
    }
}
