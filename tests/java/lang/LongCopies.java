// SPDX-License-Identifier: Apache-2.0
// Copies that are done in slices, while objects move: over each other in both directions, at the slices' borders, with elements that
// may not be stored, by Unsafe in and out of the heap, clones.
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import sun.misc.Unsafe;

public class LongCopies {
    static final int LONG = 70_000; // more than a slice of bytes has
    static final int[] STEPS = {1, 7, 4096, 65_535, 65_536, 65_537};
    static volatile boolean ended;
    static Unsafe unsafe;

    static void check(String what, boolean right) {
        if (!right)
            throw new AssertionError(what);
    }

    static void check(String what, int at, boolean right) {
        if (!right)
            throw new AssertionError(what + " at " + at);
    }

    // What a copy gives, by a second array.
    static int[] expected(int[] a, int from, int to, int count) {
        int[] b = new int[a.length];
        for (int i = 0; i < a.length; i++)
            b[i] = i >= to && i < to + count ? a[from + i - to] : a[i];
        return b;
    }

    static int[] numbers(int count) {
        int[] a = new int[count];
        for (int i = 0; i < count; i++)
            a[i] = i * 0x9E3779B1;
        return a;
    }

    static void overlapping(int step) {
        for (int swap = 0; swap < 2; swap++) {
            int from = swap == 0 ? 0 : step, to = step - from, count = 3 * LONG;
            int[] ints = numbers(count + step), right = expected(ints, from, to, count);
            Integer[] boxes = new Integer[count + step];
            long[] longs = new long[count + step];
            byte[] bytes = new byte[count + step], rightBytes = new byte[count + step];
            for (int i = 0; i < ints.length; i++) {
                boxes[i] = ints[i];
                longs[i] = (long) ints[i] << 20;
                bytes[i] = (byte) (ints[i] >> 12);
                rightBytes[i] = (byte) (right[i] >> 12);
            }
            byte[] unsafeBytes = bytes.clone();
            System.arraycopy(ints, from, ints, to, count);
            System.arraycopy(boxes, from, boxes, to, count);
            System.arraycopy(longs, from, longs, to, count);
            System.arraycopy(bytes, from, bytes, to, count);
            int base = Unsafe.ARRAY_BYTE_BASE_OFFSET;
            unsafe.copyMemory(unsafeBytes, base + from, unsafeBytes, base + to, count);
            check("ints " + step, Arrays.equals(ints, right));
            check("bytes " + step, Arrays.equals(bytes, rightBytes));
            check("copyMemory " + step, Arrays.equals(unsafeBytes, rightBytes));
            for (int i = 0; i < ints.length; i++) {
                check("boxes", i, boxes[i] == right[i]);
                check("longs", i, longs[i] == (long) right[i] << 20);
            }
        }
    }

    static void checked(int wrongAt) {
        Object[] from = new Object[LONG];
        String[] to = new String[LONG];
        Arrays.fill(from, "x");
        from[wrongAt] = 1;
        try {
            System.arraycopy(from, 0, to, 0, LONG);
            System.out.println("stored");
        } catch (ArrayStoreException e) {
            System.out.println(e.getMessage());
        }
        for (int i = 0; i < LONG; i++)
            check("checked", i, (to[i] == "x") == (i < wrongAt));
    }

    static void outside() {
        int size = 5 * LONG;
        long memory = unsafe.allocateMemory(size);
        byte[] bytes = new byte[size], back = new byte[size];
        for (int i = 0; i < size; i++)
            bytes[i] = (byte) (i * 31 >> 4);
        unsafe.copyMemory(bytes, Unsafe.ARRAY_BYTE_BASE_OFFSET, null, memory, size);
        unsafe.copyMemory(null, memory, back, Unsafe.ARRAY_BYTE_BASE_OFFSET, size);
        check("out and in", Arrays.equals(bytes, back));
        unsafe.setMemory(memory + 3, size - 5, (byte) 9);
        for (int i = 0; i < size; i++)
            check("set", i, unsafe.getByte(memory + i) == (i >= 3 && i < size - 2 ? 9 : bytes[i]));
        unsafe.freeMemory(memory);
        unsafe.setMemory(back, Unsafe.ARRAY_BYTE_BASE_OFFSET + 1, size - 2, (byte) -1);
        for (int i = 0; i < size; i++)
            check("set in the heap", i, back[i] == (i > 0 && i < size - 1 ? -1 : bytes[i]));
    }

    static void clones() {
        int[] ints = numbers(3 * LONG);
        check("clone", Arrays.equals(ints, ints.clone()));
        Object[] objects = new Object[3 * LONG];
        for (int i = 0; i < objects.length; i++)
            objects[i] = i % 3 == 0 ? null : Integer.valueOf(i);
        Object[] copy = objects.clone();
        for (int i = 0; i < copy.length; i++)
            check("clone", i, copy[i] == objects[i]);
    }

    public static void main(String[] args) throws Exception {
        Field f = Unsafe.class.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        unsafe = (Unsafe) f.get(null);
        Thread collector = new Thread(() -> {
            while (!ended) {
                System.gc();
                LockSupport.parkNanos(1_000_000);
            }
        });
        collector.start();
        try {
            for (int step : STEPS)
                overlapping(step);
            for (int at : new int[] {0, 16_383, 16_384, 16_385, LONG - 1})
                checked(at);
            outside();
            clones();
            System.out.println("copied");
        } finally {
            ended = true;
            collector.join();
        }
    }
}
