// SPDX-License-Identifier: Apache-2.0
// Calls by jdk.incubator.foreign: C functions with arguments and results of every kind in registers and on the
// stack, structs by value, variable arguments; function pointers to Java, also from threads that Java does not know,
// many at once, freed and made again, and recursion through both.
// @native foreign
// @quick
// @javac --add-modules jdk.incubator.foreign
// @flags --add-modules jdk.incubator.foreign --enable-native-access=ALL-UNNAMED
import static jdk.incubator.foreign.CLinker.*;

import java.lang.invoke.*;
import java.util.*;
import java.util.concurrent.atomic.AtomicLong;
import jdk.incubator.foreign.*;

public class Foreign {
    static final CLinker linker = CLinker.getInstance();
    static final MemoryLayout SMALL = MemoryLayout.structLayout(C_INT.withName("a"), C_INT.withName("b"));
    static final MemoryLayout MIXED = MemoryLayout.structLayout(C_LONG.withName("n"), C_DOUBLE.withName("d"));
    static final MemoryLayout FLOATS = MemoryLayout.structLayout(C_FLOAT, C_FLOAT, C_FLOAT);
    static final MemoryLayout LARGE = MemoryLayout.structLayout(C_LONG, C_LONG, C_LONG, C_DOUBLE);
    static SegmentAllocator arena;

    static Addressable symbol(String name) {
        return SymbolLookup.loaderLookup().lookup(name).or(() -> CLinker.systemLookup().lookup(name)).get();
    }
    static MethodHandle down(String name, MethodType type, FunctionDescriptor c) {
        return linker.downcallHandle(symbol(name), arena, type, c);
    }
    static MethodType mt(Class<?> r, Class<?>... p) {
        return MethodType.methodType(r, p);
    }
    static MemoryAddress up(String name, MethodType type, FunctionDescriptor c, ResourceScope scope) throws Exception {
        return linker.upcallStub(MethodHandles.lookup().findStatic(Foreign.class, name, type), c, scope);
    }

    // ---- called from C ----
    static final AtomicLong calls = new AtomicLong();

    static long step(long n, int i) {
        calls.incrementAndGet();
        return n * 3 + i;
    }
    static long tell(long n, int i) {
        if (i != 0)
            return 0;
        Thread t = Thread.currentThread();
        System.out.println(t.isDaemon() + " " + t.getThreadGroup().getName() + " " + t.getPriority() + " " + t.getName().matches("Thread-\\d+") + " "
            + (t.getContextClassLoader() == null));
        return 0;
    }
    static int compare(MemoryAddress a, MemoryAddress b) {
        return Integer.compare(MemoryAccess.getInt(a.asSegment(4, ResourceScope.globalScope())),
            MemoryAccess.getInt(b.asSegment(4, ResourceScope.globalScope())));
    }
    static double much(byte b, float f, long l, double d, int i5, int i6, int i7, int i8, long l9, double d10, double d11, double d12, double d13,
        double d14, double d15, double d16, float f17) {
        System.out.println(b + " " + f + " " + l + " " + d + " " + i5 + i6 + i7 + i8 + l9 + " " + d10 + " " + d11 + " " + d12 + " " + d13 + " " + d14
            + " " + d15 + " " + d16 + " " + f17);
        return b + f + l + d + d16 + f17;
    }
    static MemorySegment small(MemorySegment s, MemorySegment m) {
        MemorySegment r = MemorySegment.allocateNative(SMALL, ResourceScope.newImplicitScope());
        MemoryAccess.setInt(r, MemoryAccess.getIntAtOffset(s, 4) + (int) MemoryAccess.getLong(m));
        MemoryAccess.setIntAtOffset(r, 4, MemoryAccess.getInt(s) + (int) (2 * MemoryAccess.getDoubleAtOffset(m, 8)));
        return r;
    }
    static MemorySegment mixed(MemorySegment f) {
        MemorySegment r = MemorySegment.allocateNative(MIXED, ResourceScope.newImplicitScope());
        MemoryAccess.setLong(r, (long) MemoryAccess.getFloat(f));
        MemoryAccess.setDoubleAtOffset(r, 8, MemoryAccess.getFloatAtOffset(f, 4) * MemoryAccess.getFloatAtOffset(f, 8));
        return r;
    }
    static MemorySegment large(MemorySegment l) {
        MemorySegment r = MemorySegment.allocateNative(LARGE, ResourceScope.newImplicitScope());
        r.copyFrom(l);
        MemoryAccess.setLong(r, MemoryAccess.getLong(l) * 100);
        return r;
    }
    static MethodHandle callSimple;
    static MemoryAddress deeper;

    static long recurse(long n, int i) throws Throwable {
        if (n == 0) {
            System.gc();
            return 1;
        }
        return n + (long) callSimple.invokeExact(deeper, n - 1, 1);
    }

    // ---- what Java calls ----
    static void system() throws Throwable {
        MemorySegment text = CLinker.toCString("seventeen letters", ResourceScope.newImplicitScope());
        System.out.println((long) down("strlen", mt(long.class, MemoryAddress.class), FunctionDescriptor.of(C_LONG, C_POINTER))
            .invokeExact(text.address()));
        System.out.println((double) down("cos", mt(double.class, double.class), FunctionDescriptor.of(C_DOUBLE, C_DOUBLE)).invokeExact(1.0));
        System.out.println(CLinker.systemLookup().lookup("no_such_function_here").isPresent());
        MemorySegment out = MemorySegment.allocateNative(200, ResourceScope.newImplicitScope());
        MethodHandle printf = down("snprintf",
            mt(int.class, MemoryAddress.class, long.class, MemoryAddress.class, int.class, double.class, long.class, MemoryAddress.class, double.class),
            FunctionDescriptor.of(C_INT, C_POINTER, C_LONG, C_POINTER, asVarArg(C_INT), asVarArg(C_DOUBLE), asVarArg(C_LONG), asVarArg(C_POINTER),
                asVarArg(C_DOUBLE)));
        int n = (int) printf.invokeExact(out.address(), 200L, CLinker.toCString("%d %.3f %ld %s %g", ResourceScope.newImplicitScope()).address(), -5, 2.5,
            1L << 40, text.address(), 1e100);
        System.out.println(n + " " + CLinker.toJavaString(out));
    }
    static void registersAndStack() throws Throwable {
        System.out.println((long) down("narrow", mt(long.class, byte.class, short.class, char.class, int.class),
            FunctionDescriptor.of(C_LONG, C_CHAR, C_SHORT, C_SHORT, C_INT)).invokeExact((byte) -1, (short) -300, '\uffff', -100000));
        System.out.println((byte) down("negative_byte", mt(byte.class), FunctionDescriptor.of(C_CHAR)).invokeExact());
        System.out.println((short) down("negative_short", mt(short.class), FunctionDescriptor.of(C_SHORT)).invokeExact());
        System.out.println((int) (char) down("large_char", mt(char.class), FunctionDescriptor.of(C_SHORT)).invokeExact());
        System.out.println((float) down("half", mt(float.class, float.class), FunctionDescriptor.of(C_FLOAT, C_FLOAT)).invokeExact(3f));
        MethodHandle many = down("many",
            mt(double.class, int.class, double.class, long.class, float.class, int.class, double.class, int.class, double.class, int.class,
                double.class, int.class, double.class, int.class, double.class, byte.class, double.class, float.class, long.class, double.class),
            FunctionDescriptor.of(C_DOUBLE, C_INT, C_DOUBLE, C_LONG, C_FLOAT, C_INT, C_DOUBLE, C_INT, C_DOUBLE, C_INT, C_DOUBLE, C_INT, C_DOUBLE, C_INT,
                C_DOUBLE, C_CHAR, C_DOUBLE, C_FLOAT, C_LONG, C_DOUBLE));
        System.out.println((double) many.invokeExact(1, 2.5, -3L, 4.5f, 5, 6.5, 7, 8.5, -9, 10.5, 11, 12.5, 13, 14.5, (byte) -15, 16.5, 17.5f, 18L, 19.25));
        System.out.println((double) down("sum_of", mt(double.class, int.class, int.class, double.class, int.class, double.class),
            FunctionDescriptor.of(C_DOUBLE, C_INT, asVarArg(C_INT), asVarArg(C_DOUBLE), asVarArg(C_INT), asVarArg(C_DOUBLE)))
            .invokeExact(4, 1, 2.25, 3, 4.5));
    }
    static void structs() throws Throwable {
        MemorySegment s = arena.allocate(SMALL), m = arena.allocate(MIXED), f = arena.allocate(FLOATS), l = arena.allocate(LARGE);
        MemoryAccess.setInt(s, 1);
        MemoryAccess.setIntAtOffset(s, 4, -2);
        s = (MemorySegment) down("swap_small", mt(MemorySegment.class, MemorySegment.class), FunctionDescriptor.of(SMALL, SMALL)).invokeExact(s);
        System.out.println(Arrays.toString(s.toIntArray()));
        MemoryAccess.setLong(m, 40);
        MemoryAccess.setDoubleAtOffset(m, 8, 0.125);
        m = (MemorySegment) down("add_mixed", mt(MemorySegment.class, MemorySegment.class, MemorySegment.class), FunctionDescriptor.of(MIXED, MIXED, MIXED))
            .invokeExact(m, m);
        System.out.println(MemoryAccess.getLong(m) + " " + MemoryAccess.getDoubleAtOffset(m, 8));
        f.copyFrom(MemorySegment.ofArray(new float[] {1, 2, 3}));
        f = (MemorySegment) down("double_floats", mt(MemorySegment.class, MemorySegment.class), FunctionDescriptor.of(FLOATS, FLOATS)).invokeExact(f);
        System.out.println(Arrays.toString(f.toFloatArray()));
        l.copyFrom(MemorySegment.ofArray(new long[] {1, 2, 3, Double.doubleToLongBits(4.5)}));
        l = (MemorySegment) down("next_large", mt(MemorySegment.class, MemorySegment.class, long.class), FunctionDescriptor.of(LARGE, LARGE, C_LONG))
            .invokeExact(l, 10L);
        System.out.println(Arrays.toString(Arrays.copyOf(l.toLongArray(), 3)) + MemoryAccess.getDoubleAtOffset(l, 24));
    }
    static void upcalls() throws Throwable {
        MethodType simple = mt(long.class, long.class, int.class);
        FunctionDescriptor simpleC = FunctionDescriptor.of(C_LONG, C_LONG, C_INT);
        callSimple = down("call_simple", mt(long.class, MemoryAddress.class, long.class, int.class), FunctionDescriptor.of(C_LONG, C_POINTER, C_LONG, C_INT));
        MethodHandle inThreads = down("call_in_threads", mt(long.class, MemoryAddress.class, int.class), FunctionDescriptor.of(C_LONG, C_POINTER, C_INT));
        try (ResourceScope scope = ResourceScope.newConfinedScope()) {
            MemoryAddress step = up("step", simple, simpleC, scope);
            System.out.println((long) callSimple.invokeExact(step, 1L, 10) + " " + calls);
            System.out.println((long) inThreads.invokeExact(step, 4) + " " + calls);
            System.out.println((long) inThreads.invokeExact(up("tell", simple, simpleC, scope), 1));
            MemorySegment numbers = MemorySegment.allocateNative(40, scope);
            numbers.copyFrom(MemorySegment.ofArray(new int[] {5, -3, 100, 0, 77, 6, 5, 2, 1, -9}));
            down("qsort", mt(void.class, MemoryAddress.class, long.class, long.class, MemoryAddress.class),
                FunctionDescriptor.ofVoid(C_POINTER, C_LONG, C_LONG, C_POINTER)).invokeExact(numbers.address(), 10L, 4L,
                    up("compare", mt(int.class, MemoryAddress.class, MemoryAddress.class), FunctionDescriptor.of(C_INT, C_POINTER, C_POINTER), scope));
            System.out.println(Arrays.toString(numbers.toIntArray()));
            deeper = up("recurse", simple, simpleC, scope);
            System.out.println((long) callSimple.invokeExact(deeper, 20L, 1));
        }
        try (ResourceScope scope = ResourceScope.newConfinedScope()) {
            MethodType much = mt(double.class, byte.class, float.class, long.class, double.class, int.class, int.class, int.class, int.class, long.class,
                double.class, double.class, double.class, double.class, double.class, double.class, double.class, float.class);
            FunctionDescriptor muchC = FunctionDescriptor.of(C_DOUBLE, C_CHAR, C_FLOAT, C_LONG, C_DOUBLE, C_INT, C_INT, C_INT, C_INT, C_LONG, C_DOUBLE,
                C_DOUBLE, C_DOUBLE, C_DOUBLE, C_DOUBLE, C_DOUBLE, C_DOUBLE, C_FLOAT);
            System.out.println((double) down("call_many", mt(double.class, MemoryAddress.class), FunctionDescriptor.of(C_DOUBLE, C_POINTER))
                .invokeExact(up("much", much, muchC, scope)));
            Class<MemorySegment> seg = MemorySegment.class;
            System.out.println((long) down("call_small", mt(long.class, MemoryAddress.class, int.class, int.class), FunctionDescriptor.of(C_LONG, C_POINTER, C_INT, C_INT))
                .invokeExact(up("small", mt(seg, seg, seg), FunctionDescriptor.of(SMALL, SMALL, MIXED), scope), 3, 4));
            System.out.println((double) down("call_mixed", mt(double.class, MemoryAddress.class, float.class), FunctionDescriptor.of(C_DOUBLE, C_POINTER, C_FLOAT))
                .invokeExact(up("mixed", mt(seg, seg), FunctionDescriptor.of(MIXED, FLOATS), scope), 3f));
            System.out.println((double) down("call_large", mt(double.class, MemoryAddress.class, long.class), FunctionDescriptor.of(C_DOUBLE, C_POINTER, C_LONG))
                .invokeExact(up("large", mt(seg, seg), FunctionDescriptor.of(LARGE, LARGE), scope), 7L));
        }
        Set<Long> different = new HashSet<>();
        for (int round = 0; round < 3; round++) {
            try (ResourceScope scope = ResourceScope.newConfinedScope()) {
                for (int i = 0; i < 150; i++) {
                    MemoryAddress step = up("step", simple, simpleC, scope);
                    if ((long) callSimple.invokeExact(step, (long) i, 2) != 9L * i + 1) {
                        System.out.println("wrong");
                    }
                    different.add(step.toRawLongValue());
                }
            }
        }
        System.out.println(different.size() >= 150);
    }

    public static void main(String[] args) throws Throwable {
        System.loadLibrary("foreign");
        try (ResourceScope scope = ResourceScope.newConfinedScope()) {
            arena = SegmentAllocator.arenaAllocator(scope);
            system();
            registersAndStack();
            structs();
            upcalls();
        }
    }
}
