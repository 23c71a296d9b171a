// SPDX-License-Identifier: Apache-2.0
// JVMPI: IDs hold from the first object of the VM on, with a collection at every allocation: before the first classes are told
// of, and while a thread attaches itself (statements 12, 55-64).
// @only pellucid
// @xrun pi_ids
// @modes stress
// @stress 1
public class PiEachAllocation {
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> System.out.println("thread " + Thread.currentThread().getName()), "one");
        t.start();
        t.join();
        System.out.flush();
    }
}
