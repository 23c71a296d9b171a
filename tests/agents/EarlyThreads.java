// SPDX-License-Identifier: Apache-2.0
// Threads before VMInit, for an environment with can_generate_early_vmstart and one without: thread-local storage before there is a
// Thread object, ThreadStart of the threads that the VM starts.
// @agent ti_early_threads
// @quick
public class EarlyThreads {
    static native boolean started(int which);

    public static void main(String[] args) throws InterruptedException {
        String[] names = {"Reference Handler", "Finalizer", "Signal Dispatcher"};
        for (int i = 0; i < names.length; i++) {
            while (!started(i)) // those threads may be slow
                Thread.sleep(1);
            System.out.println(names[i]);
        }
    }
}
