// SPDX-License-Identifier: Apache-2.0
// -XX:MaxMetaspaceSize: OutOfMemoryError when classes that live fill it; room again when they died. What is committed is never said to be
// more than the limit.
// @flags -XX:MaxMetaspaceSize=24m
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;

public class MetaspaceLimit {
    static volatile boolean done;
    static volatile int wrong;

    static void look() {
        while (!done) {
            try {
                for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans())
                    pool.getUsage();
            } catch (IllegalArgumentException e) {
                wrong++;
            } catch (OutOfMemoryError e) {
                continue;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ManagementFactory.getMemoryPoolMXBeans().get(0).getUsage();
        Thread looks = new Thread(MetaspaceLimit::look);
        looks.start();
        for (int i = 0; i < 3; i++) {
            System.out.println(Dropped.fill());
        }
        done = true;
        looks.join();
        System.out.println("wrong usages: " + wrong);
    }
}
