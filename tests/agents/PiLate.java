// SPDX-License-Identifier: Apache-2.0
// JVMPI for a library of JNI and for an agent of JVM TI in the live phase, without -Xrun: each with its own table, events and
// thread-local storage. Each line is the number of statements of the specification's check list.
// @only pellucid
// @agent pi_late_ti
// @quick
import java.util.ArrayList;
import java.util.List;

public class PiLate {
    static final int THREADS = 3;

    static native void late();

    static native void watch();

    static native void seen();

    static native void both(int started);

    public static void main(String[] args) throws Exception {
        List<String> list = new ArrayList<>(); // classes that are there before anybody asks
        System.loadLibrary("pi_late");
        late();
        watch();
        for (int i = 0; i < 20; i++)
            list.add("item " + i);
        seen();
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> list.contains("none"), "late " + i);
            threads[i].start();
        }
        for (Thread t : threads)
            t.join();
        both(THREADS);
    }
}
