// SPDX-License-Identifier: Apache-2.0
// ThreadEnd for an agent that asks for no other event: of threads of the program, and of the thread that ends the VM.
// @agent ti_thread_end
// @quick
public class ThreadEnds {
    public static void main(String[] args) throws InterruptedException {
        Thread another = new Thread(() -> { }, "another");
        another.start();
        another.join();
    }
}
