// SPDX-License-Identifier: Apache-2.0
// What tools are told of the compiler: CompilationMXBean, java.vm.info, diagnostic commands.
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync
// @only pellucid
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.management.ObjectName;

public class CompilerTold {
    static int hot(int n) {
        return n * 31;
    }
    static String command(String name) throws Exception {
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), name, null, null);
    }
    static void show(String title, String text, String... patterns) {
        System.out.println(title);
        for (String p : patterns)
            System.out.println("  " + p + ": " + text.lines().filter(l -> l.matches(p)).findAny().isPresent());
    }
    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int i = 0; i < 5000; i++)
            sum += hot(i);
        System.out.println(sum);
        CompilationMXBean bean = ManagementFactory.getCompilationMXBean();
        System.out.println(bean.getName() + ", time known: " + bean.isCompilationTimeMonitoringSupported());
        List<byte[]> garbage = new ArrayList<>();
        for (int i = 0; i < 300000 && bean.getTotalCompilationTime() == 0; i++)
            garbage.add(new byte[i % 7]); // until a millisecond was spent
        System.out.println("time: " + (bean.getTotalCompilationTime() > 0));
        System.out.println(System.getProperty("java.vm.info"));
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans())
            if (pool.getName().equals("CodeCache"))
                System.out.println("pool: " + (pool.getUsage().getUsed() > 100000));
        show("codecache", command("compilerCodecache"), "CodeCache: size=98304Kb used=\\d+Kb max_used=\\d+Kb free=\\d+Kb",
            " bounds \\[0x[0-9a-f]{16}, 0x[0-9a-f]{16}, 0x[0-9a-f]{16}\\]", " total_blobs=[1-9]\\d* nmethods=\\d+ adapters=[1-9]\\d*", " compilation: enabled");
        show("queue", command("compilerQueue"), "Current compiles: ", "Compile queue:", "Empty");
        System.out.print(command("compilerPerfmap"));
        Path map = Path.of("/tmp/perf-" + ProcessHandle.current().pid() + ".map");
        show("perfmap", Files.readString(map), "0x[0-9a-f]{16} 0x[0-9a-f]{16} .*native.*");
        Files.delete(map);
    }
}
