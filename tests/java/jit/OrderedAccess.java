// SPDX-License-Identifier: Apache-2.0
// Loads that acquire, stores that release, opaque and volatile ones: of objects that nobody else sees, of those that others see, of elements.
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

public class OrderedAccess {
    static class Box {
        boolean z;
        byte b;
        char c;
        short s;
        int i;
        long j;
        float f;
        double d;
        Object a;
        volatile int v;
    }

    static final VarHandle Z = of("z", boolean.class), B = of("b", byte.class), C = of("c", char.class), S = of("s", short.class),
                           I = of("i", int.class), J = of("j", long.class), F = of("f", float.class), D = of("d", double.class),
                           A = of("a", Object.class), V = of("v", int.class);
    static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class), BYTES = MethodHandles.arrayElementVarHandle(byte[].class),
                           OBJECTS = MethodHandles.arrayElementVarHandle(Object[].class);
    static Box seen;
    static int sink;

    static VarHandle of(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(Box.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static long sum(Box x) {
        long n = x.b + 3L * x.c + 5L * x.s + 7L * x.i + 11 * x.j + (long) (13 * x.f) + (long) (17 * x.d) + x.v;
        return x.z ? n : -n;
    }

    static void releases(Box x, int n) {
        Z.setRelease(x, !(boolean) Z.getAcquire(x));
        B.setRelease(x, (byte) ((byte) B.getAcquire(x) + n));
        C.setRelease(x, (char) ((char) C.getAcquire(x) + n));
        S.setRelease(x, (short) ((short) S.getAcquire(x) - n));
        I.setRelease(x, (int) I.getAcquire(x) + n);
        J.setRelease(x, (long) J.getAcquire(x) + n);
        F.setRelease(x, (float) F.getAcquire(x) + n);
        D.setRelease(x, (double) D.getAcquire(x) + n);
        A.setRelease(x, A.getAcquire(x) == null ? x : null);
    }

    static void opaques(Box x, int n) {
        Z.setOpaque(x, !(boolean) Z.getOpaque(x));
        B.setOpaque(x, (byte) ((byte) B.getOpaque(x) + n));
        C.setOpaque(x, (char) ((char) C.getOpaque(x) + n));
        S.setOpaque(x, (short) ((short) S.getOpaque(x) - n));
        I.setOpaque(x, (int) I.getOpaque(x) + n);
        J.setOpaque(x, (long) J.getOpaque(x) + n);
        F.setOpaque(x, (float) F.getOpaque(x) + n);
        D.setOpaque(x, (double) D.getOpaque(x) + n);
        A.setOpaque(x, A.getOpaque(x) == null ? "" : null);
    }

    static void volatiles(Box x, int n) {
        Z.setVolatile(x, !(boolean) Z.getVolatile(x));
        B.setVolatile(x, (byte) ((byte) B.getVolatile(x) + n));
        C.setVolatile(x, (char) ((char) C.getVolatile(x) + n));
        S.setVolatile(x, (short) ((short) S.getVolatile(x) - n));
        I.setVolatile(x, (int) I.getVolatile(x) + n);
        J.setVolatile(x, (long) J.getVolatile(x) + n);
        F.setVolatile(x, (float) F.getVolatile(x) + n);
        D.setVolatile(x, (double) D.getVolatile(x) + n);
        A.setVolatile(x, A.getVolatile(x) == null ? "" : null);
        x.v += n;
        V.setVolatile(x, (int) V.getAcquire(x) + x.v);
    }

    // Nobody else sees the object
    static long alone(int n) {
        Box x = new Box();
        for (int k = 0; k < 5; k++) {
            releases(x, n + k);
            opaques(x, n);
            volatiles(x, k);
        }
        return sum(x);
    }

    // Others see it from the middle on, on one path
    static long seenAtLast(int n) {
        Box x = new Box();
        releases(x, n);
        volatiles(x, n);
        if ((n & 1023) == 1023) {
            seen = x;
            volatiles(x, 1);
        }
        opaques(x, n);
        return sum(x);
    }

    static int swaps(int n) {
        Box x = new Box();
        I.setVolatile(x, n);
        boolean yes = I.compareAndSet(x, n, n + 1), no = I.compareAndSet(x, n, n + 2);
        int before = (int) I.getAndAdd(x, 5);
        return (int) I.getAcquire(x) + before + (yes ? 100 : 0) + (no ? 1000 : 0);
    }

    static int elements(int n) {
        int[] ints = new int[8];
        byte[] bytes = new byte[8];
        Object[] objects = new Object[8];
        for (int k = 0; k < 20; k++) {
            INTS.setRelease(ints, k & 7, (int) INTS.getAcquire(ints, k + 3 & 7) + n + k);
            BYTES.setOpaque(bytes, k & 7, (byte) ((byte) BYTES.getVolatile(bytes, k + 3 & 7) + n * 37));
            OBJECTS.setRelease(objects, k & 7, OBJECTS.getOpaque(objects, k + 3 & 7) == null ? ints : null);
        }
        int there = 0;
        for (Object o : objects)
            there = there * 2 + (o == null ? 0 : 1);
        return Arrays.hashCode(ints) * 31 + Arrays.hashCode(bytes) + there;
    }

    static String outOfBounds(int index) {
        try {
            INTS.setRelease(new int[3], index, 1);
            return "none";
        } catch (IndexOutOfBoundsException e) {
            return e.getMessage();
        }
    }

    static String ofNull() {
        try {
            I.setRelease((Box) null, 1);
            return "none";
        } catch (NullPointerException e) {
            return "null";
        }
    }

    // What a thread publishes by a release, another finds by an acquire
    static long publishes() throws InterruptedException {
        Box flag = new Box();
        int[] data = new int[1];
        long[] found = new long[1];
        int turns = 20_000;
        Thread reader = new Thread(() -> {
            for (int k = 1; k <= turns; k++) {
                while ((int) I.getAcquire(flag) != k)
                    Thread.onSpinWait();
                found[0] += data[0] == k ? 1 : 0;
                J.setRelease(flag, (long) k);
            }
        });
        reader.start();
        for (int k = 1; k <= turns; k++) {
            data[0] = k;
            I.setRelease(flag, k);
            while ((long) J.getAcquire(flag) != k)
                Thread.yield();
        }
        reader.join();
        return found[0];
    }

    public static void main(String[] args) throws InterruptedException {
        long hash = 0;
        for (int n = 0; n < 6000; n++) {
            hash = hash * 31 + alone(n);
            hash = hash * 31 + seenAtLast(n);
            hash = hash * 31 + swaps(n);
            hash = hash * 31 + elements(n);
            sink += outOfBounds(n % 5).length() + ofNull().length();
        }
        System.out.println(hash + " " + sink);
        System.out.println(sum(seen));
        System.out.println(outOfBounds(3) + "; " + outOfBounds(2) + "; " + ofNull());
        System.out.println(publishes());
    }
}
