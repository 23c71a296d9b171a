// SPDX-License-Identifier: Apache-2.0
// Classes that are dropped while an agent is told of each: their memory does not count while they wait to be told, so that
// the next collection for metadata comes as soon as without the agent.
// @agent ti_extension
// @flags -XX:MetaspaceSize=12m
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;

public class UnloadTold {
    static class Dropped {
        int a, b, c;
        String text = "dropped";

        int sum() {
            return a + b + c;
        }
    }

    static class Loader extends ClassLoader {
        Loader() {
            super(null);
        }

        Class<?> make(byte[] bytes) {
            return defineClass("UnloadTold$Dropped", bytes, 0, bytes.length);
        }
    }

    static MemoryPoolMXBean metaspace() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans())
            if (pool.getName().equals("Metaspace"))
                return pool;
        throw new IllegalStateException("no Metaspace");
    }

    public static void main(String[] args) throws IOException {
        byte[] bytes;
        try (InputStream in = UnloadTold.class.getResourceAsStream("UnloadTold$Dropped.class")) {
            bytes = in.readAllBytes();
        }
        Extension.check(Thread.currentThread());
        MemoryPoolMXBean metaspace = metaspace();
        long most = 0;
        for (int i = 0; i < 30_000; i++) {
            new Loader().make(bytes);
            most = Math.max(most, metaspace.getUsage().getUsed());
        }
        System.out.println(most < 32 << 20 ? "bounded" : "used " + (most >> 20) + " MB");
    }
}
