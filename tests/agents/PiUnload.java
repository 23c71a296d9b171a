// SPDX-License-Identifier: Apache-2.0
// A library with all events of JVMPI on is unloaded: it is told nothing more.
// @only pellucid
// @quick
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

public class PiUnload {
    public static class Agent {
        static native boolean told();

        public static boolean load() {
            System.loadLibrary("pi_unload");
            return told();
        }
    }

    static volatile Object sink;

    static void use() throws Exception {
        URL classes = PiUnload.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, null)) {
            System.out.println("told: " + loader.loadClass("PiUnload$Agent").getMethod("load").invoke(null));
        }
    }

    static boolean isMapped() throws Exception {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.anyMatch(line -> line.contains("libpi_unload"));
        }
    }

    public static void main(String[] args) throws Exception {
        use();
        while (isMapped()) {
            System.gc();
            Thread.sleep(10);
        }
        for (int i = 0; i < 1000; i++)
            sink = new int[i];
        System.gc();
        System.out.println("unmapped");
    }
}
