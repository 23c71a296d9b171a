// SPDX-License-Identifier: Apache-2.0
// A thread that copies or sets much memory can be stopped before it is done. What is suspended has not the same first and last element
// then; without a poll within it is never seen so.
// @only pellucid
// @flags -Xmx400m
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import sun.misc.Unsafe;

public class StopsInCopies {
    static final int COUNT = 8 << 20, MOST_TRIES = 200;
    static volatile boolean ended;

    // Whether `doing`, repeated by a thread, is found in the midst.
    @SuppressWarnings({"deprecation", "removal"})
    static boolean isStopped(Runnable doing, BooleanSupplier isWithin) throws Exception {
        ended = false;
        Thread t = new Thread(() -> {
            while (!ended)
                doing.run();
        });
        t.start();
        boolean seen = false;
        for (int i = 0; i < MOST_TRIES && !seen; i++) {
            Thread.sleep(1);
            t.suspend();
            seen = isWithin.getAsBoolean();
            t.resume();
        }
        ended = true;
        t.join();
        return seen;
    }

    static void bytes(Unsafe unsafe) throws Exception {
        byte[] zeros = new byte[4 * COUNT], ones = new byte[4 * COUNT], to = new byte[4 * COUNT];
        Arrays.fill(ones, (byte) 1);
        BooleanSupplier isWithin = () -> to[0] != to[to.length - 1];
        long base = Unsafe.ARRAY_BYTE_BASE_OFFSET;
        System.out.println("bytes " + isStopped(() -> {
            System.arraycopy(ones, 0, to, 0, to.length);
            System.arraycopy(zeros, 0, to, 0, to.length);
        }, isWithin));
        System.out.println("copyMemory " + isStopped(() -> {
            unsafe.copyMemory(ones, base, to, base, to.length);
            unsafe.copyMemory(zeros, base, to, base, to.length);
        }, isWithin));
        System.out.println("setMemory " + isStopped(() -> {
            unsafe.setMemory(to, base, to.length, (byte) 1);
            unsafe.setMemory(to, base, to.length, (byte) 0);
        }, isWithin));
    }

    static void references() throws Exception {
        Object[] empty = new Object[COUNT], full = new Object[COUNT];
        Arrays.fill(full, "");
        Object[] to = new Object[COUNT], strings = new String[COUNT];
        System.out.println("references " + isStopped(() -> {
            System.arraycopy(full, 0, to, 0, COUNT);
            System.arraycopy(empty, 0, to, 0, COUNT);
        }, () -> to[0] != to[COUNT - 1]));
        System.out.println("checked references " + isStopped(() -> {
            System.arraycopy(full, 0, strings, 0, COUNT);
            System.arraycopy(empty, 0, strings, 0, COUNT);
        }, () -> strings[0] != strings[COUNT - 1]));
    }

    public static void main(String[] args) throws Exception {
        Field f = Unsafe.class.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        bytes((Unsafe) f.get(null));
        references();
    }
}
