// SPDX-License-Identifier: Apache-2.0
// References in the heap are always compressed here (docs/STATUS.md): a flag that asks for others is not done, and what the beans tell
// is what programs that measure objects find. HotSpot does the flags.
// @only pellucid
// @javac --add-exports java.base/jdk.internal.misc=ALL-UNNAMED
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import jdk.internal.misc.Unsafe;

public class FixedFlags {
    static void show() {
        HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        for (String flag : new String[] {"UseCompressedOops", "UseCompressedClassPointers", "ObjectAlignmentInBytes"})
            System.out.println(bean.getVMOption(flag).getValue() + " " + bean.getVMOption(flag).getOrigin());
        System.out.println("a reference takes " + Unsafe.getUnsafe().arrayIndexScale(Object[].class) + " bytes");
        System.out.println(ManagementFactory.getRuntimeMXBean().getInputArguments().contains("-XX:-UseCompressedOops"));
    }

    static void run(String... options) throws Exception {
        String[] command = new String[options.length + 7];
        command[0] = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        System.arraycopy(options, 0, command, 1, options.length);
        String[] rest = {"--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), "FixedFlags", "child"};
        System.arraycopy(rest, 0, command, options.length + 1, rest.length);
        Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
        System.out.print(new String(p.getInputStream().readAllBytes()));
        System.out.println("exit " + p.waitFor());
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            show();
            return;
        }
        run("-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers", "-XX:ObjectAlignmentInBytes=16");
        run("-XX:+UseCompressedOops", "-XX:ObjectAlignmentInBytes=8");
    }
}
