// SPDX-License-Identifier: Apache-2.0
// javac on one file, in the process, and the class that it makes.
// @modes aarch64
import java.net.URI;
import java.net.URLClassLoader;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

public class CompileOne {
    static final String SOURCE = """
        public class Made implements java.util.function.Supplier<String> {
            record Point(int x, double y) {}
            sealed interface Shape permits Circle {}
            record Circle(Point at) implements Shape {}
            public String get() {
                Shape s = new Circle(new Point(3, 0.5));
                return switch (s.hashCode() & 0) { case 0 -> s + " " + java.util.stream.IntStream.range(0, 10).sum(); default -> ""; };
            }
        }
        """;

    public static void main(String[] args) throws Exception {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        Path out = Files.createTempDirectory(Path.of(""), "made");
        var source = new SimpleJavaFileObject(URI.create("string:///Made.java"), SimpleJavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignored) {
                return SOURCE;
            }
        };
        boolean ok = javac.getTask(null, null, null, List.of("-d", out.toString()), null, List.of(source)).call();
        System.out.println("compiled " + ok);
        try (URLClassLoader loader = new URLClassLoader(new URL[] {out.toUri().toURL()})) {
            Object made = loader.loadClass("Made").getDeclaredConstructor().newInstance();
            System.out.println(((java.util.function.Supplier<?>) made).get());
        }
    }
}
