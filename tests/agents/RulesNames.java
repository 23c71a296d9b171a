// SPDX-License-Identifier: Apache-2.0
// Rules of names and ids, by number: modified UTF-8, kept method ids, local variables, references that failed before a JAR was added.
// @agent ti_rules_names
// @quick
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

public class RulesNames {
    static native void names(Class<?> odd, Thread thread);

    static native void variables();

    static native void keep(Class<?> c);

    static native boolean isValid();

    static native void addJar(String path);

    // Letters outside of the basic plane, and of two and three bytes.
    static class Odd\ud801\udc00 {
        static int \u00e9\u20ac;

        static void \ud801\udc28(Odd\ud801\udc00 o) {
        }
    }

    static int variables(long wide, List<String> texts) {
        int sum = (int) wide;
        for (String t : texts)
            sum += t.length();
        return sum;
    }

    public static class Text {
        static String text() {
            return "text";
        }
    }

    public static class Presen1 {
        static int value() {
            return 7;
        }
    }

    public static class Site0 implements Runnable {
        public void run() {
            System.out.println("T8 value " + Presen1.value());
        }
    }

    static byte[] renamed(String name, String from, String to) throws IOException {
        String file;
        try (var in = RulesNames.class.getResourceAsStream("RulesNames$" + name + ".class")) {
            file = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
        return file.replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
    }

    static class Loader extends ClassLoader {
        Class<?> text() throws IOException {
            byte[] bytes = renamed("Text", "", "");
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    static void rule(String number, boolean holds) {
        System.out.println(number + (holds ? " ok" : " FAILS"));
    }

    static void keepOne() throws Exception {
        keep(new Loader().text());
        System.gc();
    }

    static void ids() throws Exception {
        keepOne();
        for (int i = 0; i < 100 && isValid(); i++) {
            System.gc();
            Thread.sleep(10);
        }
        boolean goneAfterUnloading = !isValid();
        Class<?> c = new Loader().text();
        keep(c);
        System.gc();
        rule("C4", goneAfterUnloading && isValid() && c != null);
    }

    static boolean fails(Runnable r) {
        try {
            r.run();
            return false;
        } catch (NoClassDefFoundError e) {
            System.out.println("T8 " + e.getMessage());
            return true;
        }
    }

    static void failedReferences() throws Exception {
        byte[] site = new String(renamed("Site0", "Presen1", "Absent1"), StandardCharsets.ISO_8859_1).replace("Site0", "Site1")
            .getBytes(StandardCharsets.ISO_8859_1);
        Runnable r = (Runnable) MethodHandles.lookup().defineClass(site).getConstructor().newInstance();
        boolean before = fails(r);
        File jar = new File("added.jar");
        try (ZipOutputStream out = new ZipOutputStream(new FileOutputStream(jar))) {
            out.putNextEntry(new ZipEntry("RulesNames$Absent1.class"));
            out.write(renamed("Presen1", "Presen1", "Absent1"));
        }
        addJar(jar.getPath());
        Class<?> there = Class.forName("RulesNames$Absent1");
        rule("T8", before && fails(r) && there != null);
    }

    public static void main(String[] args) throws Exception {
        Thread thread = new Thread("a\0b\ud83d\ude00");
        Odd\ud801\udc00.\u00e9\u20ac = 1; // prepared
        names(Odd\ud801\udc00.class, thread);
        variables();
        ids();
        failedReferences();
    }
}
