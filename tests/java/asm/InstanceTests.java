// SPDX-License-Identifier: Apache-2.0
// Branches on all conditions of the result of instanceof, of final classes and others: javac makes only those on equality, tools any. What is
// printed is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05
// @modes stress
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

public class InstanceTests {
    static final String[] TYPES = {"java/lang/String", "java/lang/Integer", "[I", "[Ljava/lang/String;", "java/lang/Number", "java/lang/CharSequence"};
    static final int[] JUMPS = {0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e}; // ifeq, ifne, iflt, ifge, ifgt, ifle

    public static void main(String[] args) throws Throwable {
        Object[] values = {"text", 7, new int[1], new String[0], null, 2.5, new StringBuilder("s")};
        Asm a = Asm.simple(49, "InstanceTestsOf");
        for (int t = 0; t < TYPES.length; t++)
            for (int jump : JUMPS)
                a.method(9, "m" + t + "_" + jump, "(Ljava/lang/Object;)I").op(0x2a).op2(0xc1, a.cls(TYPES[t])).jump(jump, "taken").op(0x03, 0xac)
                    .label("taken").op(0x04, 0xac);
        Class<?> c = new Asm.Loader("tests", a).loadClass("InstanceTestsOf");
        for (int t = 0; t < TYPES.length; t++)
            for (int jump : JUMPS) {
                MethodHandle m = MethodHandles.lookup().findStatic(c, "m" + t + "_" + jump, MethodType.methodType(int.class, Object.class));
                StringBuilder all = new StringBuilder(TYPES[t] + " " + jump + ":");
                for (Object value : values) {
                    int sum = 0;
                    for (int i = 0; i < 500; i++)
                        sum += (int) m.invokeExact(value);
                    all.append(' ').append(sum);
                }
                System.out.println(all);
            }
    }
}
