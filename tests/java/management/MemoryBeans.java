// SPDX-License-Identifier: Apache-2.0
// Memory pools, managers and collectors by name, kind and figures that add up.
// @modes asan
// @flags -Xint -XX:+UseSerialGC -Xmx64m
// @stress 1000000000
import java.lang.management.*;
import java.util.*;
import javax.management.openmbean.CompositeData;

public class MemoryBeans {
    static void check(String what, boolean ok) {
        if (!ok)
            System.out.println("WRONG: " + what);
    }

    static void usage(String what, MemoryUsage u) {
        check(what + " " + u, u.getUsed() <= u.getCommitted() && (u.getMax() == -1 || u.getCommitted() <= u.getMax()));
    }

    static void pool(MemoryPoolMXBean p) {
        System.out.println(p.getName() + ", " + p.getType() + ", valid " + p.isValid() + ", managers "
            + Arrays.toString(p.getMemoryManagerNames()) + ", usage threshold " + p.isUsageThresholdSupported()
            + ", collection threshold " + p.isCollectionUsageThresholdSupported());
        usage(p.getName(), p.getUsage());
        usage(p.getName() + " peak", p.getPeakUsage());
        check("peak of " + p.getName(), p.getPeakUsage().getUsed() > 0 || p.getName().startsWith("Surv"));
        check("collection usage", (p.getCollectionUsage() == null) == (p.getType() == MemoryType.NON_HEAP));
        try {
            System.out.println("  " + p.getUsageThreshold() + " " + p.getUsageThresholdCount() + " " + p.isUsageThresholdExceeded());
        } catch (UnsupportedOperationException e) {
            System.out.println("  " + e.getMessage());
        }
        try {
            System.out.println("  " + p.getCollectionUsageThreshold() + " " + p.getCollectionUsageThresholdCount() + " "
                + p.isCollectionUsageThresholdExceeded());
        } catch (UnsupportedOperationException e) {
            System.out.println("  " + e.getMessage());
        }
    }

    static void collector(com.sun.management.GarbageCollectorMXBean g) {
        long before = g.getCollectionCount();
        System.gc();
        System.out.println(g.getName() + ": +" + (g.getCollectionCount() - before) + ", pools "
            + Arrays.toString(g.getMemoryPoolNames()));
        com.sun.management.GcInfo i = g.getLastGcInfo();
        check("id", i.getId() == g.getCollectionCount());
        check("times", i.getStartTime() <= i.getEndTime() && i.getDuration() == i.getEndTime() - i.getStartTime());
        System.out.println("  " + new TreeSet<>(i.getMemoryUsageBeforeGc().keySet()));
        System.out.println("  " + new TreeSet<>(i.getMemoryUsageAfterGc().keySet()));
        System.out.println("  " + ((CompositeData) i).getCompositeType().keySet() + " " + ((CompositeData) i).get("GcThreadCount"));
        check("eden is empty", i.getMemoryUsageAfterGc().get("Eden Space").getUsed() == 0);
        for (MemoryUsage u : i.getMemoryUsageBeforeGc().values())
            usage("before", u);
    }

    public static void main(String[] args) {
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < 300; i++)
            kept.add(new byte[100000]);
        System.gc();
        for (MemoryPoolMXBean p : ManagementFactory.getMemoryPoolMXBeans())
            pool(p);
        for (MemoryManagerMXBean m : ManagementFactory.getMemoryManagerMXBeans())
            System.out.println(m.getName() + " " + m.isValid() + " " + Arrays.toString(m.getMemoryPoolNames()) + " " + m.getObjectName());
        for (GarbageCollectorMXBean g : ManagementFactory.getGarbageCollectorMXBeans())
            collector((com.sun.management.GarbageCollectorMXBean) g);
        MemoryMXBean m = ManagementFactory.getMemoryMXBean();
        usage("heap", m.getHeapMemoryUsage());
        usage("non-heap", m.getNonHeapMemoryUsage());
        check("what is kept", m.getHeapMemoryUsage().getUsed() > 30_000_000);
        check("init", m.getHeapMemoryUsage().getInit() > 0);
        check("max", m.getHeapMemoryUsage().getMax() == Runtime.getRuntime().maxMemory());
        for (MemoryPoolMXBean p : ManagementFactory.getMemoryPoolMXBeans()) {
            p.resetPeakUsage();
            check("reset peak", p.getPeakUsage().getUsed() <= p.getUsage().getUsed() + 4_000_000);
        }
        System.out.println(kept.size() + " " + m.isVerbose() + " " + m.getObjectPendingFinalizationCount());
    }
}
