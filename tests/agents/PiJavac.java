// SPDX-License-Identifier: Apache-2.0
// JVMPI with every event on javac, which compiles a few files: it ends right, each ID is defined before it is used and undefined
// once, moves are followed, what was allocated and not freed is a heap dump of level 0.
// @only pellucid
// @xrun pi_ids:instructions
// @flags -XX:+EnableJVMPIInstructionStartEvent
// @timeout 300
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

public class PiJavac {
    static final int FILES = 3;

    static String source(int n) {
        return """
                import java.util.*;
                import java.util.function.*;
                public class Made%1$d<T extends Comparable<T>> implements Supplier<List<T>> {
                    enum Kind { SMALL, LARGE { @Override int weight() { return 9; } }; int weight() { return ordinal(); } }
                    record Pair<A, B>(A first, B second) { }
                    private final Map<T, Integer> counts = new TreeMap<>();
                    void add(T value) { counts.merge(value, 1, Integer::sum); }
                    @Override public List<T> get() {
                        List<T> all = new ArrayList<>();
                        for (var e : counts.entrySet())
                            for (int i = 0; i < e.getValue(); i++)
                                all.add(e.getKey());
                        return all;
                    }
                    static String name(Object o) {
                        if (o instanceof String s && !s.isEmpty())
                            return s;
                        return switch (Kind.values()[o.hashCode() & 1]) { case SMALL -> "s" + %1$d; case LARGE -> "l"; };
                    }
                    static <X> Function<X, Pair<X, String>> named() { return x -> new Pair<>(x, name(x)); }
                }
                """.formatted(n);
    }

    public static void main(String[] args) throws Exception {
        List<String> options = new ArrayList<>(List.of("-proc:none", "-d", "out"));
        for (int i = 0; i < FILES; i++) {
            Path file = Path.of("Made" + i + ".java");
            Files.writeString(file, source(i));
            options.add(file.toString());
        }
        System.out.println("javac: " + javax.tools.ToolProvider.getSystemJavaCompiler().run(null, null, null, options.toArray(new String[0])));
        try (var made = Files.list(Path.of("out"))) {
            made.map(path -> path.getFileName().toString()).sorted().forEach(System.out::println);
        }
        System.out.flush();
    }
}
