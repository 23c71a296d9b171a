// SPDX-License-Identifier: Apache-2.0
// Where heap, class space and cards lie (docs/GC.md, "Where memory lies"): low where they fit, high with -XX:JitLayout=based and far or where
// they are too large; the VM works the same. VM.metaspace and the memory map agree.
// @only pellucid
// @timeout 120
// @not asan the sanitizer's shadow takes the low addresses
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.file.*;
import java.util.*;
import javax.management.ObjectName;

public class JitLayout {
    static final long GIB = 1L << 30;

    // Whether memory that may be written lies between the addresses.
    static boolean uses(long low, long high) throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
            String[] words = line.split("[- ]", 4);
            long start = Long.parseUnsignedLong(words[0], 16);
            if (words[2].startsWith("rw") && Long.compareUnsigned(start, low) >= 0 && Long.compareUnsigned(start, high) < 0)
                return true;
        }
        return false;
    }

    static String classSpaceLine() throws Exception {
        Object text = ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "vmMetaspace",
            new Object[] {new String[0]}, new String[] {String[].class.getName()});
        for (String line : text.toString().split("\n")) {
            if (line.contains("count from"))
                return line;
        }
        return "no line";
    }

    // References of all kinds through young and full collections, and a class loader that dies.
    static String work() throws Exception {
        Map<Integer, Object[]> kept = new HashMap<>();
        for (int i = 0; i < 300_000; i++)
            kept.put(i % 1000, new Object[] {i, "text " + i, kept.get((i + 1) % 1000) == null ? null : kept});
        var loader = new java.net.URLClassLoader(new java.net.URL[] {Path.of(System.getProperty("java.class.path")).toUri().toURL()}, null);
        var mortal = new WeakReference<>(loader.loadClass("JitLayout"));
        loader.close();
        loader = null;
        System.gc();
        int sum = 0;
        for (Object[] o : kept.values())
            sum += (Integer) o[0] + ((String) o[1]).length() + (o[2] == kept ? 1 : 0);
        return sum + (mortal.get() == null ? "" : ", a class is left");
    }

    static void show() throws Exception {
        String line = classSpaceLine();
        System.out.println("  " + work());
        System.out.println("  heap low " + uses(4 * GIB, 32 * GIB) + ", classes low " + uses(2 * GIB, 4 * GIB) + ", told " + line.endsWith(" 0x0")
            + ", cards low " + uses(GIB, 2 * GIB - GIB / 4) + ", below 1 GiB " + uses(1 << 20, GIB));
    }

    static void run(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-XX:+UnlockDiagnosticVMOptions"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "JitLayout", "child"));
        Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
        System.out.println(String.join(" ", options));
        System.out.print(new String(p.getInputStream().readAllBytes()));
        System.out.println("  exit " + p.waitFor());
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            show();
            return;
        }
        run("-Xmx256m");
        run("-Xmx256m", "-XX:JitLayout=low");
        run("-Xmx256m", "-XX:JitLayout=based");
        run("-Xmx256m", "-XX:JitLayout=far");
        run("-Xmx27g", "-Xms64m");
        run("-Xmx31g", "-Xms64m");
        run("-Xmx64m", "-XX:CompressedClassSpaceSize=2g");
        run("-Xmx64m", "-XX:CompressedClassSpaceSize=3g");
        run("-Xmx64m", "-XX:JitLayout=near");
    }
}
