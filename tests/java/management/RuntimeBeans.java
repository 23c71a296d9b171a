// SPDX-License-Identifier: Apache-2.0
// The beans of the runtime, classes, compilation, the system, buffers and logging.
// @quick
// @flags -Xint -XX:+UseSerialGC -Xmx32m -Dgiven=yes
// @jdk 17.0.19
import java.lang.management.*;
import java.nio.ByteBuffer;
import java.util.*;
import javax.management.*;

public class RuntimeBeans {
    // At one time of some: classes may be unloaded between two questions.
    static boolean addsUp(ClassLoadingMXBean c) {
        boolean good = false;
        for (int i = 0; i < 100 && !good; i++)
            good = c.getLoadedClassCount() == c.getTotalLoadedClassCount() - c.getUnloadedClassCount();
        return good;
    }

    /** Commands of one of the two VMs alone. */
    static final java.util.Set<String> ONE_HAS = java.util.Set.of("vmCds", "jvmtiHotspot", "jvmtiEnhancedRedefinition");

    public static void main(String[] args) throws Exception {
        RuntimeMXBean r = ManagementFactory.getRuntimeMXBean();
        System.out.println(r.getName().startsWith(ProcessHandle.current().pid() + "@") + " " + (r.getPid() == ProcessHandle.current().pid()));
        System.out.println(r.getSpecName() + " " + r.getSpecVersion() + " " + r.getManagementSpecVersion() + " " + r.isBootClassPathSupported());
        System.out.println(r.getInputArguments().containsAll(List.of("-Xint", "-XX:+UseSerialGC", "-Xmx32m", "-Dgiven=yes")));
        long now = System.currentTimeMillis();
        System.out.println((r.getUptime() > 0) + " " + (r.getStartTime() <= now && r.getStartTime() > now - 600_000));
        System.out.println(r.getSystemProperties().get("given") + " " + r.getVmName().equals(System.getProperty("java.vm.name")));
        ClassLoadingMXBean c = ManagementFactory.getClassLoadingMXBean();
        long total = c.getTotalLoadedClassCount();
        Class.forName("java.util.zip.Adler32");
        System.out.println((total > 300) + " " + (c.getTotalLoadedClassCount() > total) + " "
            + addsUp(c) + " " + c.isVerbose());
        System.out.println(ManagementFactory.getCompilationMXBean());
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        System.out.println(os.getName() + " " + os.getArch() + " " + os.getAvailableProcessors() + " " + (os.getTotalMemorySize() > 0)
            + " " + (os.getProcessCpuTime() > 0) + " " + (os.getCommittedVirtualMemorySize() > 0) + " "
            + (((com.sun.management.UnixOperatingSystemMXBean) os).getOpenFileDescriptorCount() > 2));
        ByteBuffer direct = ByteBuffer.allocateDirect(100_000);
        for (BufferPoolMXBean b : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class))
            System.out.println(b.getName() + " " + (b.getName().equals("direct") ? b.getTotalCapacity() >= direct.capacity() : b.getCount() == 0));
        System.out.println(ManagementFactory.getPlatformMXBean(PlatformLoggingMXBean.class).getLoggerLevel("") + " "
            + ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class).size());
        MBeanServer s = ManagementFactory.getPlatformMBeanServer();
        for (ObjectName n : new TreeSet<>(s.queryNames(null, null)))
            System.out.println(n + " " + s.getMBeanInfo(n).getAttributes().length);
        for (MBeanOperationInfo o : s.getMBeanInfo(new ObjectName("com.sun.management:type=DiagnosticCommand")).getOperations())
            if (o.getName().matches("(gc|jvmti|thread|vm[CFMUV]|management).*") && !ONE_HAS.contains(o.getName()))
                System.out.println(o.getName() + " " + o.getSignature().length + " " + o.getReturnType() + " " + o.getDescription());
    }
}
