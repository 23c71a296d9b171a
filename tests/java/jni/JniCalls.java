// SPDX-License-Identifier: Apache-2.0
// All Call families of JNI with their three argument forms, fields of every type, native methods with many mixed
// arguments and each result type, name mangling, nested up- and downcalls, object creation.
// @native jnicalls
// @quick
public class JniCalls {
    static int n;

    static void got(String w, boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        n++;
        System.out.println(w + n + " " + z + "," + b + "," + (int) c + "," + s + "," + i + "," + j + "," + f + "," + d + "," + o + "," + i1 + "," + j1
            + "," + d1 + "," + d2 + "," + d3 + "," + d4 + "," + d5 + "," + d6 + "," + d7 + "," + f1 + "," + j2);
    }

    Object mObject(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("mObject ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return "obj" + n;
    }
    static Object sObject(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("sObject ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return "obj" + n;
    }
    boolean mBoolean(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("mBoolean ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return n % 2 == 1;
    }
    static boolean sBoolean(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("sBoolean ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return n % 2 == 1;
    }
    byte mByte(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("mByte ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return (byte) (-100 - n);
    }
    static byte sByte(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("sByte ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return (byte) (-100 - n);
    }
    char mChar(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("mChar ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return (char) (65000 + n);
    }
    static char sChar(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("sChar ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return (char) (65000 + n);
    }
    short mShort(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("mShort ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return (short) (-30000 + n);
    }
    static short sShort(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("sShort ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return (short) (-30000 + n);
    }
    int mInt(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("mInt ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return Integer.MIN_VALUE + n;
    }
    static int sInt(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("sInt ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return Integer.MIN_VALUE + n;
    }
    long mLong(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("mLong ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return Long.MIN_VALUE + n;
    }
    static long sLong(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("sLong ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return Long.MIN_VALUE + n;
    }
    float mFloat(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("mFloat ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return -0.5f * n;
    }
    static float sFloat(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("sFloat ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return -0.5f * n;
    }
    double mDouble(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("mDouble ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return 1e300 / n;
    }
    static double sDouble(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("sDouble ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        return 1e300 / n;
    }
    void mVoid(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("mVoid ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
    }
    static void sVoid(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
        double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
        got("sVoid ", z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
    }
    static void tell(Object v) {
        System.out.println("result " + v);
    }
    Object fObject;
    static Object tObject;
    static native Object idObject(Object v);
    static void tell(boolean v) {
        System.out.println("result " + v);
    }
    boolean fBoolean;
    static boolean tBoolean;
    static native boolean idBoolean(boolean v);
    static void tell(byte v) {
        System.out.println("result " + v);
    }
    byte fByte;
    static byte tByte;
    static native byte idByte(byte v);
    static void tell(char v) {
        System.out.println("result " + (int) v);
    }
    char fChar;
    static char tChar;
    static native char idChar(char v);
    static void tell(short v) {
        System.out.println("result " + v);
    }
    short fShort;
    static short tShort;
    static native short idShort(short v);
    static void tell(int v) {
        System.out.println("result " + v);
    }
    int fInt;
    static int tInt;
    static native int idInt(int v);
    static void tell(long v) {
        System.out.println("result " + v);
    }
    long fLong;
    static long tLong;
    static native long idLong(long v);
    static void tell(float v) {
        System.out.println("result " + v);
    }
    float fFloat;
    static float tFloat;
    static native float idFloat(float v);
    static void tell(double v) {
        System.out.println("result " + v);
    }
    double fDouble;
    static double tDouble;
    static native double idDouble(double v);
    static class Sub extends JniCalls {
        Object mObject(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
            double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
            System.out.print("sub ");
            return super.mObject(z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        }
        boolean mBoolean(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
            double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
            System.out.print("sub ");
            return super.mBoolean(z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        }
        byte mByte(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
            double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
            System.out.print("sub ");
            return super.mByte(z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        }
        char mChar(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
            double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
            System.out.print("sub ");
            return super.mChar(z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        }
        short mShort(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
            double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
            System.out.print("sub ");
            return super.mShort(z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        }
        int mInt(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
            double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
            System.out.print("sub ");
            return super.mInt(z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        }
        long mLong(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
            double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
            System.out.print("sub ");
            return super.mLong(z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        }
        float mFloat(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
            double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
            System.out.print("sub ");
            return super.mFloat(z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        }
        double mDouble(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
            double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
            System.out.print("sub ");
            return super.mDouble(z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        }
        void mVoid(boolean z, byte b, char c, short s, int i, long j, float f, double d, String o, int i1, long j1, double d1,
            double d2, double d3, double d4, double d5, double d6, double d7, float f1, long j2) {
            System.out.print("sub ");
            super.mVoid(z, b, c, s, i, j, f, d, o, i1, j1, d1, d2, d3, d4, d5, d6, d7, f1, j2);
        }
    }
    static class Inner {
        int v = 1000;
        Inner() {}
        Inner(int a, long b, double c) {
            v = a + (int) b + (int) c;
        }
        native int nat(int x);
    }

    static native Object all(Object o, String s);
    static native void fields(Object o);
    native String mix(boolean z, byte b, char c, short s, int i, long j, float f, double d, String str, int i1, int i2, int i3, long j1, long j2, long j3,
        double d1, double d2, double d3, double d4, double d5, double d6, double d7, double d8, double d9, float f1, float f2, float f3, byte b1, boolean z1);
    native String mix(int i);
    static native int under_score$x();
    static native int uni\u00e9();
    static native int sum(int n);
    static int up(int n) {
        return sum(n);
    }
    static native Object make(int kind);
    native void missing(String[] a, int i);

    public static void main(String[] args) {
        System.loadLibrary("jnicalls");
        System.out.println(all(new Sub(), "str"));
        JniCalls o = new JniCalls();
        o.fObject = "fo";
        o.fBoolean = true;
        o.fByte = -1;
        o.fChar = 0xffff;
        o.fShort = -2;
        o.fInt = -3;
        o.fLong = Long.MIN_VALUE;
        o.fFloat = Float.NaN;
        o.fDouble = -0.0;
        fields(o);
        System.out.println(o.fObject + " " + o.fBoolean + o.fByte + (int) o.fChar + o.fShort + o.fInt + o.fLong + o.fFloat + o.fDouble);
        System.out.println(tObject + " " + tBoolean + tByte + (int) tChar + tShort + tInt + tLong + tFloat + tDouble);
        System.out.println(o.mix(true, (byte) -1, '\uffff', (short) -2, -3, -4L, 1.5f, 2.5, "s\u00e9", 1, 2, 3, 1L << 40, 5, 6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1.25f, 2.25f, 3.25f,
            (byte) 127, false));
        System.out.println(o.mix(42));
        System.out.println(idBoolean(true) + " " + idBoolean(false) + " " + idByte((byte) -128) + " " + (int) idChar('\uffff') + " " + idShort((short) -32768) + " " + idInt(Integer.MIN_VALUE) + " "
            + idLong(Long.MIN_VALUE) + " " + idFloat(Float.MIN_VALUE) + " " + idDouble(Double.MAX_VALUE) + " " + idObject(null) + " " + idObject("o"));
        System.out.println(under_score$x() + uni\u00e9() + " " + new Inner(1, 2, 3).nat(5));
        System.out.println(sum(50));
        System.out.println(((Inner) make(0)).v + " " + ((Inner) make(1)).v + " " + ((Inner) make(2)).v);
        for (int i = 0; i < 2; i++) {
            try {
                o.missing(null, 1);
            } catch (UnsatisfiedLinkError e) {
                System.out.println(e.getMessage());
            }
        }
        System.out.println(java.lang.reflect.Modifier.toString(idModifiers()));
    }

    static int idModifiers() {
        try {
            return JniCalls.class.getDeclaredMethod("idInt", int.class).getModifiers() + (int) JniCalls.class.getDeclaredMethod("idInt", int.class).invoke(null, 0);
        } catch (ReflectiveOperationException e) {
            throw new Error(e);
        }
    }
}
