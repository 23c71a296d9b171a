// SPDX-License-Identifier: Apache-2.0
// Stores of ints into elements that keep fewer bits: of all kinds of small arrays, which code knows by a parameter, a field, a result or
// by making them itself, behind all conversions, compiled. A boolean[] keeps the lowest bit, though it is written as a byte[] is.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.01
// @quick
import java.lang.reflect.Method;

public class NarrowStores {
    static final int[] VALUES = {0, 1, 2, 3, -1, -2, 127, 128, 255, 256, 511, 32767, 32768, 65535, 65536, 0x12345678, Integer.MIN_VALUE};
    static final String[] TYPES = {"[Z", "[C", "[B", "[S"};
    static final int[] CODES = {4, 5, 8, 9}; // newarray's
    static final int[] LOADS = {0x33, 0x34, 0x33, 0x35};
    static final int[] STORES = {0x54, 0x55, 0x54, 0x56};
    static final int[][] CONVERSIONS = {{}, {0x91}, {0x92}, {0x93}, {0x11, 0, 255, 0x7e}, {0x11, 1, 255, 0x7e}, {0x04, 0x7e}, {0x91, 0x92}, {0x92, 0x91},
        {0x93, 0x11, 0x7f, 255, 0x7e}};
    static final int ALOAD_0 = 0x2a, ILOAD_1 = 0x1b, DUP = 0x59, ICONST_1 = 4, ICONST_2 = 5, IRETURN = 0xac, ARETURN = 0xb0, NEWARRAY = 0xbc, GETSTATIC = 0xb2,
        INVOKESTATIC = 0xb8;

    static void store(Asm a, String from, int type, int conversion) {
        Asm.Code c = a.method(9, from + type + "_" + conversion, "(" + TYPES[type] + "I)I").size(5, 2);
        switch (from) {
        case "param": c.op(ALOAD_0); break;
        case "field": c.op2(GETSTATIC, a.fref("NarrowStoresOf", "f" + type, TYPES[type])); break;
        case "result": c.op2(INVOKESTATIC, a.mref("NarrowStoresOf", "r" + type, "()" + TYPES[type])); break;
        default: c.op(ICONST_2, NEWARRAY, CODES[type]);
        }
        c.op(DUP, ICONST_1, ILOAD_1).op(CONVERSIONS[conversion]).op(STORES[type], ICONST_1, LOADS[type], IRETURN);
    }

    static long hash(Method m, Object array) throws ReflectiveOperationException {
        long sum = 0;
        for (int value : VALUES)
            sum = sum * 31 + (int) m.invoke(null, array, value);
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Asm a = Asm.simple(49, "NarrowStoresOf");
        String[] sources = {"param", "field", "result", "made"};
        for (int type = 0; type < TYPES.length; type++) {
            a.field(9, "f" + type, TYPES[type]);
            a.method(9, "r" + type, "()" + TYPES[type]).size(1, 0).op2(GETSTATIC, a.fref("NarrowStoresOf", "f" + type, TYPES[type])).op(ARETURN);
            for (String from : sources)
                for (int i = 0; i < CONVERSIONS.length; i++)
                    store(a, from, type, i);
        }
        Class<?> c = new Asm.Loader("tests", a).loadClass("NarrowStoresOf");
        Object[] arrays = {new boolean[2], new char[2], new byte[2], new short[2]};
        for (int type = 0; type < TYPES.length; type++) {
            c.getField("f" + type).set(null, arrays[type]);
            for (String from : sources)
                for (int i = 0; i < CONVERSIONS.length; i++) {
                    Method m = c.getMethod(from + type + "_" + i, arrays[type].getClass(), int.class);
                    long first = hash(m, arrays[type]), last = first;
                    for (int turn = 0; turn < 40 && last == first; turn++)
                        last = hash(m, arrays[type]);
                    System.out.println(TYPES[type] + " " + from + " " + i + " " + first + (last == first ? "" : ", then " + last));
                }
        }
    }
}
