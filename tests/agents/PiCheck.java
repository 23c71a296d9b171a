// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jvmpi: what breaks each of its rules, and what it says of it (statements 72, 73, 79, 96, 97, 116).
// @only pellucid
// @xrun pi_check
// @flags -Xcheck:jvmpi
// @mask (?m)stack: .*$
// @mask \+0x[0-9a-f]+
// @mask (?m)(^            .*\n)+
// @quick
import java.util.concurrent.CountDownLatch;

public class PiCheck {
    static native void here();

    static native void start();

    static native void ids(Object o);

    static native void suspended();

    static native void collection();

    static native void takeForeign();

    static native void leaveForeign();

    static native void monitors();

    static volatile boolean stop;

    public static void main(String[] args) throws Exception {
        System.loadLibrary("pi_check");
        Thread spinner = new Thread(() -> {
            here();
            while (!stop)
                Thread.onSpinWait();
        });
        spinner.start();
        start();
        ids(new Object());
        suspended();
        collection();
        stop = true;
        spinner.join();
        CountDownLatch taken = new CountDownLatch(1), done = new CountDownLatch(1);
        Thread owner = new Thread(() -> {
            takeForeign();
            taken.countDown();
            try {
                done.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            leaveForeign();
        });
        owner.start();
        taken.await();
        monitors();
        done.countDown();
        owner.join();
    }
}
