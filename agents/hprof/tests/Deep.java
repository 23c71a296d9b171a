// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.CountDownLatch;

/** Waits at the end of a stack of as many frames as the argument says, each with an object, while main ends. */
public class Deep {
    static final CountDownLatch down = new CountDownLatch(1), never = new CountDownLatch(1);

    static int descend(Object frame, int n) throws InterruptedException {
        if (n == 0) {
            down.countDown();
            never.await();
        }
        return n == 0 ? 0 : descend(frame, n - 1) + frame.hashCode();
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(null, () -> {
            try {
                descend("x", Integer.parseInt(args[0]));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "deep", 1L << 30);
        t.setDaemon(true);
        t.start();
        down.await();
    }
}
