// SPDX-License-Identifier: Apache-2.0
// VarHandles of every coordinate and value type and every access mode.
// @quick
import java.lang.invoke.*;
import java.nio.*;
import java.util.*;

public class VarHandles1 extends Try {
    boolean z;
    byte b;
    short s;
    char c;
    int i;
    long l;
    float f;
    double d;
    String o = "a";
    volatile int vi;
    static int si;
    static String so;
    final int fin = 3;

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup L = MethodHandles.lookup();
        Class<VarHandles1> C = VarHandles1.class;
        VarHandles1 h = new VarHandles1();
        VarHandle vi = L.findVarHandle(C, "i", int.class);
        VarHandle vl = L.findVarHandle(C, "l", long.class);
        VarHandle vo = L.findVarHandle(C, "o", String.class);
        vi.set(h, 5);
        System.out.println((int) vi.get(h) + " " + vi.compareAndSet(h, 5, 6) + vi.compareAndSet(h, 5, 7) + " " + (int) vi.getAndAdd(h, 10) + " "
            + (int) vi.getAndSet(h, 100) + " " + (int) vi.compareAndExchange(h, 100, 101) + " " + (int) vi.getAndBitwiseOr(h, 2) + " "
            + (int) vi.getAndBitwiseXor(h, 1) + " " + (int) vi.getAndBitwiseAnd(h, 0xf) + " " + (int) vi.getVolatile(h));
        vi.setVolatile(h, 1);
        vi.setRelease(h, (int) vi.getAcquire(h) + 1);
        vi.setOpaque(h, (int) vi.getOpaque(h) + 1);
        boolean w = false;
        while (!w) {
            w = vi.weakCompareAndSet(h, 3, 4);
        }
        System.out.println(h.i);
        vl.set(h, 1L << 40);
        System.out.println((long) vl.getAndAdd(h, 5L) + " " + vl.compareAndSet(h, (1L << 40) + 5, -1L) + h.l);
        System.out.println(vo.compareAndSet(h, "a", "b") + " " + (String) vo.getAndSet(h, "c") + " " + (String) vo.compareAndExchange(h, "c", "d")
            + " " + (String) vo.getVolatile(h));
        for (String n : new String[] {"z", "b", "s", "c", "f", "d"}) {
            VarHandle v = L.findVarHandle(C, n, C.getDeclaredField(n).getType());
            Object val = v.varType() == boolean.class ? (Object) true : v.varType() == byte.class ? (Object) (byte) 3
                : v.varType() == short.class ? (Object) (short) 4 : v.varType() == char.class ? (Object) 'q'
                : v.varType() == float.class ? (Object) 1.5f : (Object) 2.5;
            Object old = v.toMethodHandle(VarHandle.AccessMode.GET_AND_SET).invoke(h, val);
            Object cas = v.toMethodHandle(VarHandle.AccessMode.COMPARE_AND_SET).invoke(h, val, old);
            System.out.println(n + " " + val + " " + (v.varType() == char.class ? (int) (char) old : old) + " " + cas + " "
                + v.isAccessModeSupported(VarHandle.AccessMode.GET_AND_ADD));
        }
        VarHandle vs = L.findStaticVarHandle(C, "si", int.class);
        VarHandle vso = L.findStaticVarHandle(C, "so", String.class);
        vs.set(3);
        vso.setVolatile("st");
        System.out.println((int) vs.getAndAdd(4) + si + (String) vso.getAndSet("x") + so + vso.compareAndSet("x", "y"));
        int[] ia = {1, 2, 3};
        VarHandle va = MethodHandles.arrayElementVarHandle(int[].class);
        System.out.println((int) va.getAndAdd(ia, 1, 10) + " " + va.compareAndSet(ia, 2, 3, 33) + Arrays.toString(ia));
        String[] sa = {"p", "q"};
        VarHandle vsa = MethodHandles.arrayElementVarHandle(String[].class);
        System.out.println(vsa.compareAndSet(sa, 0, "p", "P") + " " + (String) vsa.getAndSet(sa, 1, "Q") + Arrays.toString(sa));
        byte[] by = new byte[16];
        VarHandle vb = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
        vb.set(by, 1, 0x01020304);
        VarHandle vbl = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
        System.out.println(Arrays.toString(by) + (long) vbl.get(by, 0));
        ByteBuffer bb = ByteBuffer.allocateDirect(32);
        VarHandle vbb = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
        vbb.setVolatile(bb, 8, 77L);
        System.out.println((long) vbb.getAndAdd(bb, 8, 3L) + " " + (long) vbb.get(bb, 8));
        t("aioobe", () -> (int) va.get(ia, 9));
        t("neg", () -> (int) va.get(ia, -1));
        t("ase", () -> {
            Object[] oa = new String[1];
            MethodHandles.arrayElementVarHandle(Object[].class).set(oa, 0, 5);
            return "set";
        });
        t("view bound", () -> (int) vb.get(by, 13));
        t("view align", () -> (long) vbb.getAndAdd(bb, 9, 3L));
        t("npe", () -> (int) vi.get((VarHandles1) null));
        t("wmt", () -> (String) vi.get(h));
        t("wmt2", () -> {
            vi.set(h, "s");
            return null;
        });
        t("cce", () -> {
            vo.set(h, (Object) 4);
            return null;
        });
        t("final", () -> {
            L.findVarHandle(C, "fin", int.class).set(h, 3);
            return null;
        });
        t("unsupported", () -> vo.toMethodHandle(VarHandle.AccessMode.GET_AND_ADD).invoke(h, "x"));
        t("unsupported2", () -> (String) vo.getAndAdd(h, "x"));
        t("nofield", () -> L.findVarHandle(C, "nope", int.class));
        t("exact", () -> (long) vl.withInvokeExactBehavior().getAndAdd(h, 1));
        t("coords", () -> va.coordinateTypes() + " " + va.varType() + " " + vi + " " + va.accessModeType(VarHandle.AccessMode.COMPARE_AND_SET));
        VarHandle.fullFence();
        VarHandle.loadLoadFence();
        VarHandle.storeStoreFence();
        Thread[] ts = new Thread[4];
        for (int k = 0; k < ts.length; k++) {
            ts[k] = new Thread(() -> {
                for (int q = 0; q < 1000; q++) {
                    vi.getAndAdd(h, 1);
                }
            });
            ts[k].start();
        }
        for (Thread x : ts) {
            x.join();
        }
        System.out.println(h.i >= 4000);
    }
}
