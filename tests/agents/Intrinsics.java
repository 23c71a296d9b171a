// SPDX-License-Identifier: Apache-2.0
// The methods that HotSpot's interpreter computes itself (fma where the processor has it): a call of one pushes no frame and posts
// no MethodEntry. All others of their classes are entered.
// @agent ti_intrinsics
// @quick
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.lang.ref.WeakReference;

public class Intrinsics {
    static native void watch(boolean on);

    interface Call {
        Object run();
    }

    static double d = 0.5;
    static float f = 0.25f;
    static byte[] bytes = new byte[100];
    static ByteBuffer direct = ByteBuffer.allocateDirect(100);

    static void show(String name, Call call) {
        call.run(); // loads and links what it needs
        System.out.println(name);
        watch(true);
        Object result = call.run();
        watch(false);
        System.out.println("  = " + result);
    }

    public static void main(String[] args) {
        show("sin", () -> Math.sin(d));
        show("cos", () -> Math.cos(d));
        show("tan", () -> Math.tan(d));
        show("exp", () -> Math.exp(d));
        show("log", () -> Math.log(d));
        show("log10", () -> Math.log10(d));
        show("pow", () -> Math.pow(d, d));
        show("sqrt", () -> Math.sqrt(d));
        show("abs", () -> Math.abs(d));
        show("abs float", () -> Math.abs(f));
        show("abs int", () -> Math.abs((int) d));
        show("fma", () -> Math.fma(d, d, d));
        show("fma float", () -> Math.fma(f, f, f));
        show("max", () -> Math.max(d, 1));
        show("ceil", () -> Math.ceil(d));
        show("rint", () -> Math.rint(d));
        show("asin", () -> Math.asin(d));
        show("atan2", () -> Math.atan2(d, d));
        show("cbrt", () -> Math.cbrt(d));
        show("signum", () -> Math.signum(d));
        show("multiplyHigh", () -> Math.multiplyHigh((long) d, 3));
        show("strict sin", () -> StrictMath.sin(d));
        show("strict sqrt", () -> StrictMath.sqrt(d));
        show("strict pow", () -> StrictMath.pow(2, d));
        show("strict fma", () -> StrictMath.fma(d, d, d));
        show("floatToRawIntBits", () -> Float.floatToRawIntBits(f));
        show("floatToIntBits", () -> Float.floatToIntBits(f));
        show("intBitsToFloat", () -> Float.intBitsToFloat((int) d) > 0);
        show("doubleToRawLongBits", () -> Double.doubleToRawLongBits(d));
        show("doubleToLongBits", () -> Double.doubleToLongBits(d));
        show("longBitsToDouble", () -> Double.longBitsToDouble((long) d) > 0);
        WeakReference<Object> weak = new WeakReference<>(bytes);
        show("Reference.get", () -> weak.get() == bytes);
        show("Reference.refersTo", () -> weak.refersTo(bytes));
        CRC32 zip = new CRC32();
        show("CRC32.update int", () -> {
            zip.update(3);
            return 0;
        });
        show("CRC32.update bytes", () -> {
            zip.update(bytes, 0, 50);
            return 0;
        });
        show("CRC32.update direct", () -> {
            zip.update(direct.clear());
            return 0;
        });
        CRC32C c = new CRC32C();
        show("CRC32C.update int", () -> {
            c.update(3);
            return 0;
        });
        show("CRC32C.update bytes", () -> {
            c.update(bytes, 0, 50);
            return 0;
        });
        show("CRC32C.update direct", () -> {
            c.update(direct.clear());
            return 0;
        });
        System.out.println(zip.getValue() + " " + c.getValue());
    }
}
