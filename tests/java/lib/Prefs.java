// SPDX-License-Identifier: Apache-2.0
// java.util.prefs: values of each type, nodes, listeners, export and import, the files they are kept in.
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.prefs.*;
import java.util.stream.*;

public class Prefs {
    static void show(String what, Callable<Object> c) {
        try {
            System.out.println(what + ": " + c.call());
        } catch (Exception e) {
            System.out.println(what + ": " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("prefs");
        System.setProperty("java.util.prefs.userRoot", folder.toString());
        System.setProperty("java.util.prefs.systemRoot", folder.resolve("system").toString());
        java.util.logging.Logger.getLogger("java.util.prefs").setLevel(java.util.logging.Level.OFF);
        Preferences root = Preferences.userRoot(), node = root.node("pellucid/test");
        System.out.println(root + " | " + node + " | " + node.absolutePath() + " | " + node.parent().name() + " | " + node.isUserNode());
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        node.addPreferenceChangeListener(e -> heard.add(e.getKey() + "=" + e.getNewValue()));
        node.addNodeChangeListener(new NodeChangeListener() {
            public void childAdded(NodeChangeEvent e) {
                heard.add("+" + e.getChild().name());
            }
            public void childRemoved(NodeChangeEvent e) {
                heard.add("-" + e.getChild().name());
            }
        });
        node.put("text", "some \u00e9\u4e00 <text>");
        node.putInt("int", -5);
        node.putLong("long", Long.MIN_VALUE);
        node.putDouble("double", Math.PI);
        node.putFloat("float", 1e-10f);
        node.putBoolean("boolean", true);
        node.putByteArray("bytes", new byte[] {0, 1, -1, 127});
        node.remove("float");
        node.node("child").put("key", "value");
        node.node("odd.name_\u00fc").put("k", "v");
        for (int i = 0; i < 10; i++) {
            System.out.println(heard.poll(10, TimeUnit.SECONDS));
        }
        System.out.println(node.getInt("text", 9) + " " + node.getInt("int", 0) + " " + node.getLong("long", 0) + " " + node.getDouble("double", 0) + " "
            + node.getFloat("float", 4) + " " + node.getBoolean("boolean", false) + " " + Arrays.toString(node.getByteArray("bytes", null)) + " " + node.get("none", "default"));
        System.out.println(new TreeSet<>(List.of(node.keys())) + " " + new TreeSet<>(List.of(node.childrenNames())));
        ByteArrayOutputStream xml = new ByteArrayOutputStream();
        node.exportSubtree(xml);
        String text = xml.toString(StandardCharsets.UTF_8);
        System.out.println(text.lines().filter(l -> l.contains("entry")).map(String::trim).sorted().collect(Collectors.joining("\n")));
        node.flush();
        try (Stream<Path> files = Files.walk(folder)) {
            files.map(p -> folder.relativize(p).toString()).filter(p -> !p.matches(".*\\.user(\\.lock|RootModFile).*")).sorted().forEach(System.out::println);
        }
        node.removeNode();
        show("removed", () -> node.get("int", ""));
        show("exists", () -> root.nodeExists("pellucid/test") + " " + root.nodeExists("pellucid"));
        Preferences.importPreferences(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
        show("imported", () -> root.node("pellucid/test").get("text", null) + " " + root.nodeExists("pellucid/test/child"));
        show("bad xml", () -> {
            Preferences.importPreferences(new StringBufferInputStream("<preferences>"));
            return "";
        });
        show("bad name", () -> root.node("a//b"));
        show("long key", () -> {
            root.put("k".repeat(81), "");
            return "";
        });
        root.node("pellucid").removeNode();
        root.flush();
        show("package", () -> Preferences.userNodeForPackage(String.class).absolutePath());
        show("left", () -> root.childrenNames().length);
        root.sync();
    }
}
