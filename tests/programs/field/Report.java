// SPDX-License-Identifier: Apache-2.0
// What JaCoCo counted of Shapes, line by line.
import java.io.File;
import java.io.FileInputStream;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.tools.ExecFileLoader;

public class Report {
    static String text(ICounter c) {
        return c.getCoveredCount() + "/" + c.getTotalCount();
    }

    public static void main(String[] args) throws Exception {
        ExecFileLoader loader = new ExecFileLoader();
        loader.load(new FileInputStream("jacoco.exec"));
        CoverageBuilder coverage = new CoverageBuilder();
        new Analyzer(loader.getExecutionDataStore(), coverage).analyzeAll(new File("classes"));
        coverage.getClasses().stream().sorted((a, b) -> a.getName().compareTo(b.getName())).forEach(c -> {
            System.out.println(c.getName() + " instructions " + text(c.getInstructionCounter()) + " branches " + text(c.getBranchCounter()));
            for (IMethodCoverage m : c.getMethods())
                System.out.println("  " + m.getName() + m.getDesc() + " " + text(m.getInstructionCounter()) + " " + text(m.getBranchCounter()));
            StringBuilder lines = new StringBuilder("  ");
            for (int i = c.getFirstLine(); i <= c.getLastLine(); i++)
                lines.append(i).append(':').append(c.getLine(i).getStatus()).append(' ');
            System.out.println(lines);
        });
    }
}
