// SPDX-License-Identifier: Apache-2.0
// The class library's own reader of its image uses the VM's mapping of it.
import java.io.*;
import java.net.URI;
import java.nio.file.*;

public class OneImage {
    static long mappings() throws IOException {
        String image = Path.of(System.getProperty("java.home"), "lib", "modules").toRealPath().toString();
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.endsWith(" " + image)).count();
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println(mappings() + " at the start");
        FileSystem jrt = FileSystems.getFileSystem(URI.create("jrt:/"));
        for (String name : new String[] {"java.base/java/lang/Object.class", "java.base/java/lang/None.class", "java.base/none/Object.class",
                "none/java/lang/Object.class", "java.base/java/lang", "java.base/module-info.class"}) {
            Path path = jrt.getPath("/modules/" + name);
            System.out.println(name + " " + (Files.exists(path) ? Files.isDirectory(path) ? "folder" : Files.size(path) + " bytes" : "none"));
        }
        System.out.println(mappings() + " now");
    }
}
