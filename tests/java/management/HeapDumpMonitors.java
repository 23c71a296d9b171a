// SPDX-License-Identifier: Apache-2.0
// Monitors that are held by a synchronized block and by a synchronized method are roots of a heap dump. HotSpot 17 writes
// no ROOT MONITOR USED at all.
// @quick
// @only pellucid
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.*;

public class HeapDumpMonitors {
    static final Object block = new Object(), free = new Object();
    static final HeapDumpMonitors method = new HeapDumpMonitors();

    static boolean isRoot(String field) {
        return HeapDump.roots.get(7).contains(HeapDump.classNamed("HeapDumpMonitors").statics().get(field));
    }

    synchronized void dump(Path file) throws Exception {
        synchronized (block) {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file.toString(), true);
        }
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempDirectory(Path.of("").toAbsolutePath(), "dump").resolve("heap.hprof");
        method.dump(file);
        HeapDump.parse(file);
        Files.delete(file);
        Files.delete(file.getParent());
        System.out.println(isRoot("block") + " " + isRoot("method") + " " + isRoot("free"));
    }
}
