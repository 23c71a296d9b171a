// SPDX-License-Identifier: Apache-2.0
// -XX:JitView: a page a compilation and an index that lists them; what is in a page is whole: each pass, each state with its scopes, each
// instruction with its bytes. Names that would be HTML are text. A folder that is missing or full: one line, and the program goes on.
// @only pellucid
// @timeout 120
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

public class View {
    // ---- the program that is looked at ----
    static class XSCRIPTX { // becomes <script>
        static int odd_name(int[] a, int k) { // becomes a"&'=\$!
            int sum = 0;
            for (int i = 0; i < a.length; i++)
                sum += twice(a[i] ^ k);
            return sum;
        }
        static int twice(int x) {
            return x + x;
        }
    }
    static final String NAME = "View$XSCRIPTX", ODD_NAME = "View$<script>", METHOD = "odd_name", ODD_METHOD = "a\"&'=\\$!";

    static class Renamed extends ClassLoader {
        Class<?> define() throws Exception {
            try (InputStream in = View.class.getResourceAsStream("View$XSCRIPTX.class")) {
                String text = new String(in.readAllBytes(), "ISO-8859-1").replace(NAME, ODD_NAME).replace(METHOD, ODD_METHOD);
                byte[] code = text.getBytes("ISO-8859-1");
                return defineClass(ODD_NAME, code, 0, code.length);
            }
        }
    }

    static void child() throws Exception {
        var method = new Renamed().define().getDeclaredMethod(ODD_METHOD, int[].class, int.class);
        method.setAccessible(true);
        int sum = 0;
        for (int i = 0; i < 3000; i++)
            sum += (int) method.invoke(null, new int[] {1, 2, i}, i);
        System.out.println("sum " + sum);
    }

    // ---- JSON, as strict as RFC 8259 ----
    static class Json {
        final String s;
        int at;
        Json(String s) {
            this.s = s;
        }
        Object all() {
            Object v = value();
            if (at != s.length())
                throw new IllegalStateException("more behind it at " + at);
            return v;
        }
        boolean next(char c) {
            boolean there = s.charAt(at) == c;
            at += there ? 1 : 0;
            return there;
        }
        void need(char c) {
            if (!next(c))
                throw new IllegalStateException(c + " is missing at " + at);
        }
        Object value() {
            switch (s.charAt(at)) {
            case '{': return object();
            case '[': return list();
            case '"': return text();
            default:
                if (s.startsWith("null", at)) {
                    at += 4;
                    return null;
                }
                int from = at;
                while ("-0123456789".indexOf(s.charAt(at)) >= 0)
                    at++;
                return Long.parseLong(s.substring(from, at));
            }
        }
        Map<String, Object> object() {
            Map<String, Object> m = new TreeMap<>();
            need('{');
            for (boolean first = true; !next('}'); first = false) {
                if (!first)
                    need(',');
                String name = text();
                need(':');
                m.put(name, value());
            }
            return m;
        }
        List<Object> list() {
            List<Object> l = new ArrayList<>();
            need('[');
            for (boolean first = true; !next(']'); first = false) {
                if (!first)
                    need(',');
                l.add(value());
            }
            return l;
        }
        String text() {
            StringBuilder b = new StringBuilder();
            need('"');
            while (!next('"')) {
                char c = s.charAt(at++);
                if (c < ' ' || c > '~' || c == '<' || c == '>' || c == '&')
                    throw new IllegalStateException("a bare character " + (int) c);
                if (c == '\\' && next('u')) {
                    c = (char) Integer.parseInt(s.substring(at, at + 4), 16);
                    at += 4;
                }
                b.append(c);
            }
            return b.toString();
        }
    }
    @SuppressWarnings("unchecked")
    static List<List<Object>> rows(Object o) {
        return (List<List<Object>>) o;
    }
    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object o) {
        return (Map<String, Object>) o;
    }
    static int number(Object o) {
        return (int) (long) (Long) o;
    }

    // ---- a page ----
    static final String BEFORE = "<script type=\"application/json\" id=\"data\">", BEHIND = "</script>";

    static Map<String, Object> data(Path page) throws Exception {
        String html = Files.readString(page);
        int from = html.indexOf(BEFORE) + BEFORE.length(), to = html.indexOf(BEHIND, from);
        if (from < BEFORE.length() || to < 0 || !html.endsWith("</html>\n") || html.contains("@DATA@"))
            throw new IllegalStateException(page + " is no page");
        return object(new Json(html.substring(from, to)).all());
    }
    static void check(boolean holds, String what, Object where) {
        if (!holds)
            System.out.println("wrong: " + what + " " + where);
    }
    static Map<Integer, List<Object>> nodes, states;

    static void checkState(int id, int scopes) {
        for (int depth = 0; id != 0; depth++) {
            List<Object> s = states.get(id);
            check(s != null && depth <= scopes, "no state", id);
            int scope = number(s.get(2));
            check(scope < scopes, "no scope", scope);
            for (int i = 4; i <= 6; i++)
                for (Object n : (List<?>) s.get(i))
                    check(number(n) == 0 || nodes.containsKey(number(n)), "no value of state", id);
            id = callers.get(scope);
        }
    }
    static List<Integer> callers;

    static void checkPass(Map<String, Object> pass, int scopes) {
        rows(pass.get("nodes")).forEach(n -> nodes.put(number(n.get(0)), n));
        rows(pass.get("states")).forEach(s -> states.put(number(s.get(0)), s));
        Set<Integer> blocks = new HashSet<>();
        rows(pass.get("blocks")).forEach(b -> blocks.add(number(b.get(0))));
        for (List<Object> b : rows(pass.get("blocks"))) {
            for (int i = 3; i <= 4; i++)
                for (Object other : (List<?>) b.get(i))
                    check(blocks.contains(number(other)), "no block at an edge of", b.get(0));
            for (Object id : (List<?>) b.get(10)) {
                List<Object> n = nodes.get(number(id));
                check(n != null, "no node", id);
                for (Object in : (List<?>) n.get(4))
                    check(nodes.containsKey(number(in)), "no input of", n);
                checkState(number(n.get(5)), scopes);
            }
        }
    }

    static void checkCode(Map<String, Object> d) {
        int next = 0;
        for (List<Object> i : rows(d.get("instructions"))) {
            check(number(i.get(0)) == next && ((String) i.get(1)).length() >= 2 && !((String) i.get(2)).isEmpty(), "a gap at", i);
            next += ((String) i.get(1)).length() / 2;
        }
        check(next > 0 && next < number(d.get("code")), "code of", next); // addresses follow
        for (List<Object> site : rows(d.get("sites")))
            check(number(site.get(0)) <= next, "a site at", site);
        Map<String, Object> machine = object(d.get("machine"));
        for (List<Object> i : rows(machine.get("intervals")))
            check(number(i.get(2)) >= 0 || number(i.get(3)) >= 0, "nowhere:", i);
        for (Object n : (List<?>) machine.get("line"))
            check(number(n) == 0 || nodes.containsKey(number(n)), "no node in the line", n);
    }

    static void checkPage(Path page) throws Exception {
        Map<String, Object> d = data(page);
        nodes = new HashMap<>();
        states = new HashMap<>();
        callers = rows(d.get("scopes")).stream().map(s -> number(s.get(1))).collect(Collectors.toList());
        List<String> names = new ArrayList<>();
        if (!d.get("refused").equals(""))
            return;
        for (Object p : (List<?>) d.get("passes")) {
            names.add((String) object(p).get("name"));
            checkPass(object(p), callers.size());
        }
        check(names.size() >= 4 && names.get(0).equals("build") && names.get(names.size() - 1).equals("layout"), "passes", names);
        for (Object m : (List<?>) d.get("methods"))
            check(!rows(object(m).get("code")).isEmpty(), "no bytecodes", object(m).get("name"));
        checkCode(d);
    }

    // ---- runs ----
    static String run(Path dir, String... flags) throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-XX:+UnlockDiagnosticVMOptions", "-Xbatch",
            "-XX:CompileThresholdScaling=0.3", "-XX:JitView=" + dir, "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(flags));
        command.addAll(List.of("View", "child"));
        Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out = new String(p.getInputStream().readAllBytes());
        return out + "exit " + p.waitFor();
    }
    static void delete(Path dir) throws Exception {
        try (Stream<Path> all = Files.list(dir)) {
            for (Path p : all.collect(Collectors.toList()))
                Files.delete(p);
        }
        Files.delete(dir);
    }
    static List<Path> pages(Path dir) throws Exception {
        try (Stream<Path> all = Files.list(dir)) {
            return all.filter(p -> !p.endsWith("index.html")).sorted().collect(Collectors.toList());
        }
    }

    static void all(Path dir, Path source) throws Exception {
        Files.writeString(source.resolve("View.java"), "\n".repeat(25) + "sum += \u00e9 \uD83D\uDE00 </script>\n" + "\n".repeat(500));
        System.out.println(run(dir, "-XX:JitViewSource=" + source));
        String index = Files.readString(dir.resolve("index.html"));
        List<String> rows = index.lines().filter(l -> l.startsWith("<script>row(")).collect(Collectors.toList());
        Set<String> listed = new HashSet<>();
        for (String row : rows)
            listed.add((String) object(new Json(row.substring(12, row.length() - ")</script>".length())).all()).get("page"));
        System.out.println("pages: " + (pages(dir).size() > 5) + ", listed: " + (rows.size() == pages(dir).size()));
        boolean safe = true;
        for (Path p : pages(dir)) {
            safe &= p.getFileName().toString().matches("\\d+-[A-Za-z0-9._]+\\.html") && listed.contains(p.getFileName().toString());
            checkPage(p);
        }
        System.out.println("names of files: " + safe);
        Path odd = pages(dir).stream().filter(p -> p.toString().contains("View__script_.a_______")).findFirst().get();
        Map<String, Object> d = data(odd), m = object(((List<?>) d.get("methods")).get(0));
        System.out.println(d.get("name") + " inlines " + d.get("inlined"));
        System.out.println(((List<?>) m.get("source")).stream().filter(l -> !l.equals("")).collect(Collectors.toList()).equals(List.of("sum += \u00e9 \uD83D\uDE00 </script>")));
        delete(dir);
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            child();
            return;
        }
        Path top = Files.createTempDirectory("view"), dir = top.resolve("pages"), source = Files.createDirectory(top.resolve("source"));
        all(dir, source);
        System.out.println(run(dir, "-XX:CompileCommand=quiet", "-XX:CompileCommand=log,*::a*"));
        System.out.println("chosen alone: " + pages(dir).stream().allMatch(p -> p.toString().matches(".*\\.a[^.]*\\.html")) + " " + !pages(dir).isEmpty());
        delete(dir);
        System.out.println(run(top.resolve("missing/pages")).replace(top.toString(), "TOP"));
        Files.createDirectory(dir);
        Files.createSymbolicLink(dir.resolve("index.html"), Path.of("/dev/full"));
        System.out.println(run(dir).replace(top.toString(), "TOP"));
        delete(dir);
        Files.delete(source.resolve("View.java"));
        delete(source);
        delete(top);
    }
}
