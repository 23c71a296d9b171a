// SPDX-License-Identifier: Apache-2.0
// A database in memory over JDBC: 20,000 rows, an index, joins, transactions, batches, errors. The argument is the URL.
import java.sql.*;
import java.util.*;

public class Jdbc {
    static void print(Connection c, String query) throws SQLException {
        System.out.println(query);
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(query)) {
            int columns = r.getMetaData().getColumnCount();
            while (r.next()) {
                StringJoiner row = new StringJoiner(", ", "  ", "");
                for (int i = 1; i <= columns; i++) {
                    row.add(String.valueOf(r.getObject(i)));
                }
                System.out.println(row);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection(args[0], "sa", "")) {
            System.out.println(c.getMetaData().getDatabaseProductName());
            try (Statement s = c.createStatement()) {
                s.execute("create table city (id int primary key, name varchar(40))");
                s.execute("create table person (id int primary key, name varchar(60), city int, weight double, born date)");
                for (int i = 0; i < 50; i++) {
                    s.execute("insert into city values (" + i + ", 'city " + i + "')");
                }
            }
            c.setAutoCommit(false);
            Random random = new Random(7);
            try (PreparedStatement p = c.prepareStatement("insert into person values (?, ?, ?, ?, ?)")) {
                for (int i = 0; i < 20_000; i++) {
                    p.setInt(1, i);
                    p.setString(2, "person " + Integer.toString(random.nextInt(1 << 20), 36));
                    p.setInt(3, random.nextInt(50));
                    p.setDouble(4, random.nextInt(1000) / 8.0);
                    p.setDate(5, java.sql.Date.valueOf("1970-01-01"));
                    p.addBatch();
                    if (i % 500 == 499) {
                        p.executeBatch();
                    }
                }
            }
            c.commit();
            try (Statement s = c.createStatement()) {
                s.execute("create index by_city on person (city)");
                System.out.println("updated " + s.executeUpdate("update person set weight = weight + 1 where city < 10"));
                c.rollback();
                System.out.println("deleted " + s.executeUpdate("delete from person where id >= 19000"));
                c.commit();
            }
            print(c, "select count(*), sum(weight), min(name), max(name) from person");
            print(c, "select c.name, count(*) n, avg(p.weight) from person p join city c on c.id = p.city group by c.name order by n desc, c.name fetch first 10 rows only");
            print(c, "select name from person where name like '%zz%' order by name");
            try (Statement s = c.createStatement()) {
                s.execute("insert into city values (3, 'again')");
            } catch (SQLException e) {
                System.out.println(e.getClass().getSimpleName() + " " + e.getSQLState());
            }
            c.rollback();
        }
    }
}
