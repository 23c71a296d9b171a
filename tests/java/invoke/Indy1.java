// SPDX-License-Identifier: Apache-2.0
// LambdaMetafactory and StringConcatFactory called by hand, constant bootstraps, ObjectMethods.
// @quick
import java.lang.invoke.*;
import java.util.*;
import java.util.function.*;
import static java.lang.invoke.MethodType.methodType;

public class Indy1 {
    static String impl(String a, Integer b) {
        return a + b;
    }
    static int K = 4;
    enum E { P, Q }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        MethodHandle impl = l.findStatic(Indy1.class, "impl", methodType(String.class, String.class, Integer.class));
        CallSite cs = LambdaMetafactory.metafactory(l, "apply", methodType(Function.class, String.class), methodType(Object.class, Object.class), impl,
            methodType(String.class, Integer.class));
        Function<Integer, String> f = (Function<Integer, String>) cs.getTarget().invokeExact("cap");
        System.out.println(f.apply(5) + " " + f.getClass().isHidden() + " " + cs.getClass().getSimpleName());
        CallSite alt = LambdaMetafactory.altMetafactory(l, "get", methodType(Supplier.class), methodType(Object.class),
            l.findConstructor(ArrayList.class, methodType(void.class)), methodType(Object.class), LambdaMetafactory.FLAG_MARKERS, 1, RandomAccess.class);
        Object s = alt.getTarget().invoke();
        System.out.println(((Supplier<?>) s).get() + " " + (s instanceof RandomAccess));
        try {
            LambdaMetafactory.metafactory(l, "apply", methodType(String.class), methodType(Object.class), impl, methodType(Object.class));
        } catch (LambdaConversionException e) {
            System.out.println(e);
        }
        CallSite sc = StringConcatFactory.makeConcatWithConstants(l, "x", methodType(String.class, int.class, Object.class, char.class), "<\1|\2|\1,\1>", "K");
        System.out.println((String) sc.getTarget().invokeExact(1, (Object) "o", 'c'));
        System.out.println((String) StringConcatFactory.makeConcat(l, "y", methodType(String.class, double.class, long[].class)).getTarget().invoke(1.5, null));
        System.out.println(ConstantBootstraps.nullConstant(l, "n", Object.class) + " " + ConstantBootstraps.primitiveClass(l, "J", Class.class) + " "
            + ConstantBootstraps.enumConstant(l, "Q", E.class) + " " + ConstantBootstraps.getStaticFinal(l, "MAX_VALUE", int.class, Integer.class) + " "
            + ConstantBootstraps.invoke(l, "i", String.class, impl, "a", 3) + " "
            + ((VarHandle) ConstantBootstraps.staticFieldVarHandle(l, "K", VarHandle.class, Indy1.class, int.class)).get() + " "
            + ConstantBootstraps.explicitCast(l, "c", int.class, 3.7));
        MethodHandle ga = l.findVirtual(P.class, "a", methodType(int.class));
        System.out.println(new P(3).equals(new P(3)) + " " + (int) ga.invokeExact(new P(8)));
        Callable3[] many = new Callable3[300];
        int sum = 0;
        for (int i = 0; i < many.length; i++) {
            int k = i;
            many[i] = (x) -> x + k;
            sum += many[i].go(i);
        }
        System.out.println(sum);
    }

    interface Callable3 {
        int go(int x);
    }

    record P(int a) {}
}
