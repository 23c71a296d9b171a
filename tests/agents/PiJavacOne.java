// SPDX-License-Identifier: Apache-2.0
// As PiJavac, for the slow builds: one file, and every event but those of instructions (PiInstructions has them).
// @only pellucid
// @xrun pi_ids
// @modes asan stress
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;

public class PiJavacOne {
    public static void main(String[] args) throws Exception {
        Files.writeString(Path.of("Made.java"), "class Made { int add(int n) { return n + 1; } }");
        System.out.println("javac: " + ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "Made.java"));
        System.out.println(Files.exists(Path.of("Made.class")));
        System.out.flush();
    }
}
