// SPDX-License-Identifier: Apache-2.0
// Every function of JVMPI with random arguments from several threads, in handlers and on a thread that is not attached, while a
// program runs and collections happen: no crash, no hang, no other result than the specification has (statements 51, 154).
// By hand for longer: -Dfuzz.seconds=600; PI_FUZZ_SEED in the environment begins with the same numbers (it is printed on stderr).
// @only pellucid
// @xrun pi_fuzz
// @flags -Xmx64m
// @modes asan stress
// @timeout 120
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class PiFuzz {
    static final int CALLERS = 3, BUSY = 3;
    static final Map<Integer, Object> shared = new HashMap<>();
    static volatile boolean stop;

    static native void call(int number, int millis);

    static native void callUnattached(int millis);

    static native void report();

    static void busy(int number) {
        List<Object> mine = new ArrayList<>();
        for (int i = 0; !stop; i++) {
            mine.add(new int[i % 100]);
            synchronized (shared) {
                shared.put(i % 50, mine.get(mine.size() - 1));
            }
            if (mine.size() > 500)
                mine = new ArrayList<>();
            if (i % 200 == 0)
                new Thread(Thread::yield, "short").start();
        }
    }

    public static void main(String[] args) throws Exception {
        int millis = Integer.getInteger("fuzz.seconds", 3) * 1000;
        System.loadLibrary("pi_fuzz");
        List<Thread> busy = new ArrayList<>(), callers = new ArrayList<>();
        for (int i = 0; i < BUSY; i++) {
            int number = i;
            busy.add(new Thread(() -> busy(number)));
        }
        for (int i = 0; i < CALLERS; i++) {
            int number = i;
            callers.add(new Thread(() -> call(number, millis)));
        }
        callers.add(new Thread(() -> callUnattached(millis)));
        busy.forEach(Thread::start);
        callers.forEach(Thread::start);
        for (Thread t : callers)
            t.join();
        stop = true;
        for (Thread t : busy)
            t.join();
        report();
    }
}
