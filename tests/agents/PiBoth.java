// SPDX-License-Identifier: Apache-2.0
// JVMPI with every event and its IDs followed, beside two JVM TI agents with every event: 20 threads that allocate, meet at
// monitors, throw and wait.
// @only pellucid
// @xrun pi_ids:instructions
// @agent ti_all=one
// @agent ti_all=two
// @flags -Xmx64m -XX:+EnableJVMPIInstructionStartEvent
// @quick
// @timeout 120
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class PiBoth {
    static final int THREADS = 20, ROUNDS = 60;
    static volatile Object sink;
    static final Map<Integer, Integer> sums = new HashMap<>();

    static void work(int number) {
        List<Object> mine = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            mine.add(new int[i]);
            for (int k = 0; k < 8; k++)
                sink = new byte[16000]; // 150 MB by all threads
            if (i % 16 == 0)
                mine = new ArrayList<>();
            try {
                if (i % 10 == 0)
                    throw new IllegalStateException("thrown " + number);
            } catch (IllegalStateException e) {
                mine.add(e);
            }
            synchronized (sums) {
                sums.merge(number, i, Integer::sum);
                if (i == ROUNDS / 2) {
                    try {
                        sums.wait(1);
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads[i] = new Thread(() -> work(number));
            threads[i].start();
        }
        System.gc();
        for (Thread t : threads)
            t.join();
        System.gc();
        System.out.println(sums.size() + " " + sums.values().stream().mapToInt(n -> n).sum());
    }
}
