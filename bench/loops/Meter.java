// SPDX-License-Identifier: Apache-2.0
// Runs an operation for so many seconds and says what it cost once the VM is warm: in the last half of the time.
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

public class Meter {
    public interface Operation {
        void run(int number) throws Exception;
    }

    /** Prints `result <operations> <CPU nanoseconds> <wall nanoseconds>`. */
    public static void measure(int seconds, Operation operation) throws Exception {
        OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long begin = System.nanoTime(), half = begin + seconds * 500_000_000L, end = begin + seconds * 1_000_000_000L;
        int number = 0;
        for (; System.nanoTime() < half; number++)
            operation.run(number);
        long cpu = process.getProcessCpuTime(), wall = System.nanoTime();
        int first = number;
        for (; System.nanoTime() < end; number++)
            operation.run(number);
        System.out.println("result " + (number - first) + " " + (process.getProcessCpuTime() - cpu) + " " + (System.nanoTime() - wall));
    }
}
