// SPDX-License-Identifier: Apache-2.0
// Notifications of memory: usage and collection thresholds, and of each collection.
// @modes asan
// @flags -Xint -XX:+UseSerialGC -Xmx64m
// @stress 1000000000
import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.*;
import java.util.*;
import java.util.concurrent.*;
import javax.management.*;
import javax.management.openmbean.CompositeData;

public class Thresholds {
    static final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    static String next() throws InterruptedException {
        String s = told.poll(20, TimeUnit.SECONDS);
        return s == null ? "nothing came" : s;
    }

    static void memory(Notification n, Object handback) {
        MemoryNotificationInfo i = MemoryNotificationInfo.from((CompositeData) n.getUserData());
        told.add(n.getType() + " " + i.getPoolName() + " " + i.getCount() + " " + (i.getUsage().getUsed() >= 20_000_000)
            + " " + handback + " " + n.getMessage());
    }

    static void collection(Notification n, Object handback) {
        GarbageCollectionNotificationInfo i = GarbageCollectionNotificationInfo.from((CompositeData) n.getUserData());
        told.add(n.getType() + " " + i.getGcName() + ", " + i.getGcAction() + ", " + i.getGcCause() + ", "
            + i.getGcInfo().getMemoryUsageAfterGc().size() + " pools, duration known " + (i.getGcInfo().getDuration() >= 0));
    }

    public static void main(String[] args) throws Exception {
        MemoryPoolMXBean old = null;
        for (MemoryPoolMXBean p : ManagementFactory.getMemoryPoolMXBeans())
            if (p.getName().equals("Tenured Gen"))
                old = p;
        NotificationEmitter memory = (NotificationEmitter) ManagementFactory.getMemoryMXBean();
        memory.addNotificationListener(Thresholds::memory, null, "hand");
        System.gc();
        old.setUsageThreshold(20_000_000);
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < 250; i++)
            kept.add(new byte[100_000]);
        System.gc();
        System.out.println(next() + " " + old.isUsageThresholdExceeded() + " " + old.getUsageThresholdCount());
        kept.clear();
        System.gc();
        for (int i = 0; i < 3000 && old.isUsageThresholdExceeded(); i++)
            Thread.sleep(10);
        System.out.println(old.isUsageThresholdExceeded() + " " + told.size());
        old.setUsageThreshold(0);
        old.setCollectionUsageThreshold(20_000_000);
        for (int i = 0; i < 250; i++)
            kept.add(new byte[100_000]);
        System.gc();
        System.out.println(next() + " " + old.isCollectionUsageThresholdExceeded());
        System.gc();
        System.out.println(next() + " " + old.getCollectionUsageThresholdCount());
        old.setCollectionUsageThreshold(0);
        try {
            old.setUsageThreshold(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        for (GarbageCollectorMXBean g : ManagementFactory.getGarbageCollectorMXBeans())
            if (g.getName().startsWith("Mark"))
                ((NotificationEmitter) g).addNotificationListener(Thresholds::collection, null, null);
        System.gc();
        System.out.println(next() + " " + kept.size());
    }
}
