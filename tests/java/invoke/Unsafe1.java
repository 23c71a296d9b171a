// SPDX-License-Identifier: Apache-2.0
// sun.misc.Unsafe: fields, arrays, off-heap memory, compare and set, allocation without constructor, park.
// @quick
import java.lang.reflect.Field;
import sun.misc.Unsafe;

public class Unsafe1 {
    byte b = 1;
    int i = 5;
    long l = 6;
    Object o = "o";
    static int s = 7;
    boolean made;
    Unsafe1() {
        made = true;
    }

    public static void main(String[] args) throws Throwable {
        Field f = Unsafe.class.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        Unsafe u = (Unsafe) f.get(null);
        Unsafe1 x = new Unsafe1();
        long oi = u.objectFieldOffset(Unsafe1.class.getDeclaredField("i"));
        long ol = u.objectFieldOffset(Unsafe1.class.getDeclaredField("l"));
        long oo = u.objectFieldOffset(Unsafe1.class.getDeclaredField("o"));
        long ob = u.objectFieldOffset(Unsafe1.class.getDeclaredField("b"));
        System.out.println(u.getInt(x, oi) + " " + u.getLong(x, ol) + " " + u.getObject(x, oo) + " " + u.getByte(x, ob));
        u.putInt(x, oi, 50);
        u.putLongVolatile(x, ol, 1L << 50);
        u.putObject(x, oo, "new");
        u.putByte(x, ob, (byte) -3);
        System.out.println(x.i + " " + x.l + " " + x.o + " " + x.b);
        System.out.println(u.compareAndSwapInt(x, oi, 50, 51) + " " + u.compareAndSwapInt(x, oi, 50, 52) + " " + u.compareAndSwapObject(x, oo, x.o, "cas") + x.o
            + u.compareAndSwapLong(x, ol, 1L << 50, 3) + u.getAndAddInt(x, oi, 9) + u.getAndSetObject(x, oo, "gs") + u.getAndAddLong(x, ol, 4) + x.i + x.l + x.o);
        Field sf = Unsafe1.class.getDeclaredField("s");
        System.out.println(u.getInt(u.staticFieldBase(sf), u.staticFieldOffset(sf)));
        Unsafe1 raw = (Unsafe1) u.allocateInstance(Unsafe1.class);
        System.out.println(raw.made + " " + raw.i + " " + raw.o);
        try {
            u.allocateInstance(Runnable.class);
        } catch (InstantiationException e) {
            System.out.println(e);
        }
        long m = u.allocateMemory(64);
        u.setMemory(m, 64, (byte) 0x11);
        u.putLong(m + 8, 0x0102030405060708L);
        u.putShort(m + 3, (short) 0x2233);
        u.putDouble(m + 16, 1.5);
        System.out.println(Integer.toHexString(u.getInt(m)) + " " + u.getByte(m + 8) + " " + Long.toHexString(u.getLong(m + 8)) + " " + u.getDouble(m + 16) + " "
            + Integer.toHexString(u.getInt(m + 2)));
        int[] ia = {1, 2, 3, 4};
        u.copyMemory(ia, Unsafe.ARRAY_INT_BASE_OFFSET, null, m, 16);
        u.copyMemory(null, m + 4, ia, Unsafe.ARRAY_INT_BASE_OFFSET, 8);
        System.out.println(java.util.Arrays.toString(ia) + Unsafe.ARRAY_INT_INDEX_SCALE + Unsafe.ARRAY_LONG_INDEX_SCALE + Unsafe.ARRAY_BYTE_INDEX_SCALE
            + Unsafe.ARRAY_OBJECT_INDEX_SCALE + " " + u.addressSize() + " " + u.pageSize() + " " + u.arrayIndexScale(double[].class));
        m = u.reallocateMemory(m, 4096);
        System.out.println(u.getInt(m));
        u.freeMemory(m);
        Object[] oa = {"a", "b"};
        long e1 = Unsafe.ARRAY_OBJECT_BASE_OFFSET + Unsafe.ARRAY_OBJECT_INDEX_SCALE;
        System.out.println(u.getObjectVolatile(oa, e1) + " " + u.compareAndSwapObject(oa, e1, "b", "c") + oa[1]);
        u.unpark(Thread.currentThread());
        u.park(false, 0);
        u.park(false, 1000000);
        u.loadFence();
        u.storeFence();
        u.fullFence();
        try {
            u.throwException(new java.io.IOException("thrown"));
        } catch (Throwable t) {
            System.out.println(t);
        }
        u.ensureClassInitialized(Late.class);
        System.out.println(u.shouldBeInitialized(Late.class));
    }

    static class Late {
        static {
            System.out.println("late init");
        }
    }
}
