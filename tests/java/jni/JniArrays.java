// SPDX-License-Identifier: Apache-2.0
// JNI arrays: elements, regions, critical access, object arrays, direct buffers, and their errors.
// @native jniarrays
// @quick
import java.nio.*;
import java.util.*;

public class JniArrays {
    static native String workBoolean(boolean[] a);
    static native void badBoolean(boolean[] a, int s, int n);
    static native String workByte(byte[] a);
    static native void badByte(byte[] a, int s, int n);
    static native String workChar(char[] a);
    static native void badChar(char[] a, int s, int n);
    static native String workShort(short[] a);
    static native void badShort(short[] a, int s, int n);
    static native String workInt(int[] a);
    static native void badInt(int[] a, int s, int n);
    static native String workLong(long[] a);
    static native void badLong(long[] a, int s, int n);
    static native String workFloat(float[] a);
    static native void badFloat(float[] a, int s, int n);
    static native String workDouble(double[] a);
    static native void badDouble(double[] a, int s, int n);
    static native void setRegion(int[] a, int s, int n);
    static native void abortElements(int[] a);
    static native Object[] objects(Object init);
    static native Object[] matrix(int n);
    static native void store(Object[] a, int i, Object o);
    static native Object load(Object[] a, int i);
    static native Object negative(int kind);
    static native ByteBuffer buffer();
    static native long inspect(Buffer b);

    static void t(String w, Runnable r) {
        try {
            r.run();
            System.out.println(w + " fine");
        } catch (Throwable e) {
            System.out.println(w + " " + e);
        }
    }

    public static void main(String[] args) {
        System.loadLibrary("jniarrays");
        boolean[] aBoolean = {false, true, false, true, false};
        System.out.println("boolean " + workBoolean(aBoolean) + " " + Arrays.hashCode(aBoolean) + " " + aBoolean[2]);
        t("boolean 5 0", () -> badBoolean(aBoolean, 5, 0));
        t("boolean 4 2", () -> badBoolean(aBoolean, 4, 2));
        t("boolean -1 1", () -> badBoolean(aBoolean, -1, 1));
        t("boolean 0 -1", () -> badBoolean(aBoolean, 0, -1));
        t("boolean 2147483647 1", () -> badBoolean(aBoolean, 2147483647, 1));
        byte[] aByte = {-128, 2, 3, 4, 127};
        System.out.println("byte " + workByte(aByte) + " " + Arrays.hashCode(aByte) + " " + aByte[2]);
        t("byte 5 0", () -> badByte(aByte, 5, 0));
        t("byte 4 2", () -> badByte(aByte, 4, 2));
        t("byte -1 1", () -> badByte(aByte, -1, 1));
        t("byte 0 -1", () -> badByte(aByte, 0, -1));
        t("byte 2147483647 1", () -> badByte(aByte, 2147483647, 1));
        char[] aChar = {65535, 'b', 3, 4, 5};
        System.out.println("char " + workChar(aChar) + " " + Arrays.hashCode(aChar) + " " + aChar[2]);
        t("char 5 0", () -> badChar(aChar, 5, 0));
        t("char 4 2", () -> badChar(aChar, 4, 2));
        t("char -1 1", () -> badChar(aChar, -1, 1));
        t("char 0 -1", () -> badChar(aChar, 0, -1));
        t("char 2147483647 1", () -> badChar(aChar, 2147483647, 1));
        short[] aShort = {-32768, 2, 3, 4, 32767};
        System.out.println("short " + workShort(aShort) + " " + Arrays.hashCode(aShort) + " " + aShort[2]);
        t("short 5 0", () -> badShort(aShort, 5, 0));
        t("short 4 2", () -> badShort(aShort, 4, 2));
        t("short -1 1", () -> badShort(aShort, -1, 1));
        t("short 0 -1", () -> badShort(aShort, 0, -1));
        t("short 2147483647 1", () -> badShort(aShort, 2147483647, 1));
        int[] aInt = {Integer.MIN_VALUE, 2, 3, 4, 5};
        System.out.println("int " + workInt(aInt) + " " + Arrays.hashCode(aInt) + " " + aInt[2]);
        t("int 5 0", () -> badInt(aInt, 5, 0));
        t("int 4 2", () -> badInt(aInt, 4, 2));
        t("int -1 1", () -> badInt(aInt, -1, 1));
        t("int 0 -1", () -> badInt(aInt, 0, -1));
        t("int 2147483647 1", () -> badInt(aInt, 2147483647, 1));
        long[] aLong = {Long.MIN_VALUE, 2, 3, 4, 5};
        System.out.println("long " + workLong(aLong) + " " + Arrays.hashCode(aLong) + " " + aLong[2]);
        t("long 5 0", () -> badLong(aLong, 5, 0));
        t("long 4 2", () -> badLong(aLong, 4, 2));
        t("long -1 1", () -> badLong(aLong, -1, 1));
        t("long 0 -1", () -> badLong(aLong, 0, -1));
        t("long 2147483647 1", () -> badLong(aLong, 2147483647, 1));
        float[] aFloat = {-1.5f, 2, 3, 4, 5};
        System.out.println("float " + workFloat(aFloat) + " " + Arrays.hashCode(aFloat) + " " + aFloat[2]);
        t("float 5 0", () -> badFloat(aFloat, 5, 0));
        t("float 4 2", () -> badFloat(aFloat, 4, 2));
        t("float -1 1", () -> badFloat(aFloat, -1, 1));
        t("float 0 -1", () -> badFloat(aFloat, 0, -1));
        t("float 2147483647 1", () -> badFloat(aFloat, 2147483647, 1));
        double[] aDouble = {-1.5, 2, 3, 4, 1e300};
        System.out.println("double " + workDouble(aDouble) + " " + Arrays.hashCode(aDouble) + " " + aDouble[2]);
        t("double 5 0", () -> badDouble(aDouble, 5, 0));
        t("double 4 2", () -> badDouble(aDouble, 4, 2));
        t("double -1 1", () -> badDouble(aDouble, -1, 1));
        t("double 0 -1", () -> badDouble(aDouble, 0, -1));
        t("double 2147483647 1", () -> badDouble(aDouble, 2147483647, 1));
        int[] ia = {1, 2, 3};
        t("set region", () -> setRegion(ia, 2, 2));
        abortElements(ia);
        System.out.println(Arrays.toString(ia));
        System.out.println(Arrays.toString(objects("init")) + objects(null).getClass());
        System.out.println(Arrays.deepToString(matrix(5)) + matrix(1).getClass());
        Object[] strs = new String[2];
        t("store", () -> store(strs, 0, "ok"));
        t("store type", () -> store(strs, 1, 5));
        t("store bound", () -> store(strs, 2, "x"));
        t("load bound", () -> load(strs, -1));
        t("negative", () -> negative(0));
        t("negative objects", () -> negative(1));
        ByteBuffer b = buffer();
        System.out.println(b.capacity() + " " + b.isDirect() + " " + b.get(5) + " " + b.order());
        b.put(1, (byte) 9);
        System.out.println(inspect(b) + " " + b.get(0));
        ByteBuffer own = ByteBuffer.allocateDirect(100);
        own.put(1, (byte) 4);
        System.out.println(inspect(own) + " " + own.get(0) + " " + inspect(ByteBuffer.allocate(5)) + " " + inspect(own.asIntBuffer()) + " " + inspect(own.position(10).slice()));
        byte[] big = new byte[3 << 20];
        int[] len = new int[1];
        for (int i = 0; i < 20; i++) {
            len[0] += matrix(60).length;
            System.gc();
        }
        System.out.println(len[0] + big.length);
    }
}
