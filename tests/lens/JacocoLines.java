// SPDX-License-Identifier: Apache-2.0
// Prints what JaCoCo has counted: "package/File.java line covered" for each line, covered 0 or 1, and "! class" for each class that it cannot take.
// JacocoLines EXEC, then a folder of classes, or a package of the module jdk.compiler ("jrt:com/sun/tools/javac").
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.ISourceFileCoverage;
import org.jacoco.core.tools.ExecFileLoader;

public class JacocoLines {
    static void analyzeModule(Analyzer analyzer, String folder) throws Exception {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/jdk.compiler", folder);
        List<Path> files;
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(p -> p.toString().endsWith(".class")).collect(Collectors.toList());
        }
        for (Path file : files)
            try (InputStream in = Files.newInputStream(file)) {
                analyzer.analyzeClass(in, file.toString());
            } catch (IOException e) { // Debian's JaCoCo knows no permitted subclasses
                System.out.println("! " + root.getRoot().resolve("modules/jdk.compiler").relativize(file));
            }
    }

    public static void main(String[] args) throws Exception {
        ExecFileLoader loader = new ExecFileLoader();
        loader.load(new FileInputStream(args[0]));
        CoverageBuilder coverage = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(loader.getExecutionDataStore(), coverage);
        if (args[1].startsWith("jrt:"))
            analyzeModule(analyzer, args[1].substring(4));
        else
            analyzer.analyzeAll(new File(args[1]));
        StringBuilder out = new StringBuilder();
        for (ISourceFileCoverage file : coverage.getSourceFiles())
            for (int i = file.getFirstLine(); i <= file.getLastLine(); i++)
                if (i > 0 && file.getLine(i).getStatus() != ICounter.EMPTY)
                    out.append(file.getPackageName()).append('/').append(file.getName()).append(' ').append(i).append(' ')
                        .append(file.getLine(i).getInstructionCounter().getCoveredCount() > 0 ? 1 : 0).append('\n');
        System.out.print(out);
    }
}
