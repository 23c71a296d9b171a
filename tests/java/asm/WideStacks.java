// SPDX-License-Identifier: Apache-2.0
// A method whose operand stack is thousands of words deep, called at every depth of a recursion until the stack overflows, its check failing each
// time: StackOverflowError, as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:CompileThresholdScaling=0.05 -Xss1m
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

public class WideStacks {
    static final int WIDE = 3500;
    static MethodHandle wide;
    static final int[] numbers = {1, 2, 3};

    static int call(int i) throws Throwable {
        return (int) wide.invokeExact(7, numbers, i);
    }
    static void down() throws Throwable {
        try {
            call(99);
        } catch (ArrayIndexOutOfBoundsException e) {
        }
        down();
    }

    public static void main(String[] args) throws Throwable {
        Asm a = Asm.simple(49, "WideStacksOf");
        Asm.Code m = a.method(9, "m", "(I[II)I").op(0x2b, 0x1c, 0x2e, 0x36, 3);
        for (int i = 0; i < WIDE; i++)
            m.op(0x1a);
        for (int i = 1; i < WIDE; i++)
            m.op(0x60);
        m.op(0x15, 3, 0x60, 0xac).size(WIDE + 8, 8);
        Class<?> c = new Asm.Loader("wide", a).loadClass("WideStacksOf");
        wide = MethodHandles.lookup().findStatic(c, "m", MethodType.methodType(int.class, int.class, int[].class, int.class));
        int sum = 0;
        for (int i = 0; i < 2000; i++)
            sum += call(i % 3);
        System.out.println(sum);
        try {
            down();
        } catch (StackOverflowError e) {
            System.out.println("overflow");
        }
        System.out.println(call(1));
    }
}
