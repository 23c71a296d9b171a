// SPDX-License-Identifier: Apache-2.0
// DynamicCodeGenerated of stubs that call native methods, and of a function pointer that calls Java: GenerateEvents tells the environment that asks, and no other, of each that
// there is; none of one that was freed. Here it is told when it is made, too.
// @agent ti_dynamic_code
// @quick
// @javac --add-modules jdk.incubator.foreign
// @flags --add-modules jdk.incubator.foreign --enable-native-access=ALL-UNNAMED
import java.lang.invoke.*;
import jdk.incubator.foreign.*;

public class DynamicCode {
    static native void listen(int env, boolean on);

    static native void lookFor(long address); // told begins anew

    static native void generate(int env);

    static native int told(int env); // how often env was told of that address

    static native int stubs(); // how many calls of native methods were told since the last generate

    static int one() {
        return 1;
    }

    static long made(ResourceScope scope) throws ReflectiveOperationException {
        MethodHandle target = MethodHandles.lookup().findStatic(DynamicCode.class, "one", MethodType.methodType(int.class));
        return CLinker.getInstance().upcallStub(target, FunctionDescriptor.of(CLinker.C_INT), scope).toRawLongValue();
    }

    static void show(String when, int asks) {
        generate(asks);
        System.out.println(when + ": " + told(0) + " and " + told(1));
    }

    public static void main(String[] args) throws Exception {
        long freed;
        try (ResourceScope scope = ResourceScope.newConfinedScope()) {
            freed = made(scope);
            lookFor(freed);
            show("nobody listens", 0);
            listen(0, true);
            listen(1, true);
            show("the first asks", 0);
            show("the second asks", 1);
            for (int i = 0; i < 300; i++)
                lookFor(made(scope));
            show("of many, the last", 0);
            lookFor(freed);
        }
        show("freed", 0);
        if (System.getProperty("java.vm.name").startsWith("Pellucid")) {
            checkWhenMade(freed);
            if (System.getProperty("os.arch").equals("amd64")) {
                checkStubs();
                checkCompiled();
            }
        }
    }

    static native void unlike(byte a, Object b, float c, short d, double e); // a shape that nothing else has

    // A stub is told when it is made, and again when asked for; to nobody who does not listen.
    static void checkStubs() {
        listen(1, false);
        generate(0);
        int before = stubs();
        unlike((byte) 1, null, 2, (short) 3, 4);
        int made = stubs();
        unlike((byte) 1, null, 2, (short) 3, 4);
        int again = stubs();
        generate(0);
        if (before < 5 || made != before + 1 || again != made || stubs() != made)
            System.out.println("stubs: " + before + ", then " + made + ", then " + again + ", of all " + stubs());
    }

    static native int ofOddShape(); // how many stubs of calls of `odd` were told

    static double odd(float a, double b, long c, float d, double e, long f) {
        return a + b + c + d + e + f;
    }

    // The stubs by which `odd` is called compiled, and by compiled code; also told when made, though later.
    static void checkCompiled() throws Exception {
        listen(0, true);
        double sum = 0;
        for (int i = 0; i < 200_000; i++)
            sum += odd(1, 2, 3, 4, 5, i);
        for (int i = 0; i < 300 && ofOddShape() < 2; i++)
            Thread.sleep(20);
        boolean compiles = System.getProperty("java.vm.info", "").startsWith("mixed");
        if (sum < 1 || (ofOddShape() == 2) != compiles)
            System.out.println("stubs of compiled code: " + ofOddShape());
    }

    // The place of one that was freed last is taken first.
    static void checkWhenMade(long address) throws Exception {
        try (ResourceScope scope = ResourceScope.newConfinedScope()) {
            lookFor(address);
            for (int i = 0; i < 301; i++)
                made(scope);
            if (told(0) != 1 || told(1) != 1)
                System.out.println("when made: " + told(0) + " and " + told(1));
        }
    }
}
