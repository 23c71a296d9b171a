// SPDX-License-Identifier: Apache-2.0
// The class that the tests of unloading load, use and drop.
import java.util.concurrent.CountDownLatch;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

public class Victim implements IntSupplier, Supplier<Object> {
    static int counter;
    final Object[] own = new Victim[1];

    public interface Face {
        default int face() {
            return 1;
        }
    }

    public static class Sub extends Victim {
        @Override
        public int getAsInt() {
            return Victim.count() + 100;
        }
    }

    public static class Broken {
        static final int X = 1 / (Victim.count() - 1);
    }

    public static int count() {
        return ++counter;
    }

    public static IntSupplier lambda() {
        int n = count();
        return () -> n + count();
    }

    public static Runnable waiter(CountDownLatch in, CountDownLatch out) {
        return () -> run(in, out);
    }

    static void run(CountDownLatch in, CountDownLatch out) {
        in.countDown();
        try {
            out.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int getAsInt() {
        if (own instanceof Victim[] v) {
            v[0] = this;
        }
        return count() + own.length;
    }

    @Override
    public Object get() {
        throw new IllegalStateException("thrown by a victim");
    }

    @Override
    public String toString() {
        return "victim " + getAsInt();
    }
}
