// SPDX-License-Identifier: Apache-2.0
// Every class of java.base, java.compiler and jdk.compiler is loaded, some code of them run. When the VM ends it makes
// the compiler's graph of each method, as it ran and with all that is unresolved as calls, and verifies it after each
// pass; what is wrong in one ends the process with an error.
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+JitVerify
// @only pellucid
// @timeout 300
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

public class BuildAll {
    static final String[] MODULES = {"java.base", "java.compiler", "jdk.compiler"};

    static List<String> classesOf(FileSystem jrt, String module) throws Exception {
        Path top = jrt.getPath("/modules", module);
        try (Stream<Path> files = Files.walk(top)) {
            return files.map(p -> top.relativize(p).toString())
                .filter(name -> name.endsWith(".class") && !name.equals("module-info.class"))
                .map(name -> name.substring(0, name.length() - 6).replace('/', '.'))
                .collect(Collectors.toList());
        }
    }

    public static void main(String[] args) throws Exception {
        FileSystem jrt = FileSystems.getFileSystem(URI.create("jrt:/"));
        for (String module : MODULES) {
            int count = 0;
            for (String name : classesOf(jrt, module)) {
                Class.forName(name, false, ClassLoader.getSystemClassLoader());
                count++;
            }
            System.out.println(module + (count > 50 ? ": loaded" : ": only " + count));
        }
    }
}
