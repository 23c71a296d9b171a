// SPDX-License-Identifier: Apache-2.0
// Memory that an agent gives back, and then frees or writes to: what it asks for next is sound.
// @agent ti_kept_memory
// HotSpot gives it to free, which ends the process or hands out a block twice.
// @only pellucid
// @modes stress
// @not asan the sanitizer ends an agent that frees memory twice
public class KeptMemory {
    static native void run();

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(KeptMemory::run);
        t.start();
        t.join();
        System.out.println("done");
    }
}
