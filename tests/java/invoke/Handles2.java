// SPDX-License-Identifier: Apache-2.0
// Method handle combinators.
// @quick
import java.lang.invoke.*;
import java.util.*;
import static java.lang.invoke.MethodHandles.*;
import static java.lang.invoke.MethodType.methodType;

public class Handles2 extends Try {
    static int add(int a, int b) {
        return a + b;
    }
    static String cat(String a, String b) {
        return a + b;
    }
    static boolean neg(int a) {
        return a < 0;
    }
    static int twice(int a) {
        return a * 2;
    }
    static String str(int i) {
        return "i" + i;
    }
    static int boom(int i) {
        if (i > 2) {
            throw new IllegalStateException("boom " + i);
        }
        return i;
    }
    static int handler(IllegalStateException e, int i) {
        return -i;
    }
    static int fin(Throwable t, int r, int i) {
        return t == null ? r + 100 : -100;
    }
    static boolean lt10(int i) {
        return i < 10;
    }
    static int sum3(long a, double b, Integer c) {
        return (int) (a + b + c);
    }
    static int tot(int[] xs) {
        int s = 0;
        for (int x : xs) {
            s += x;
        }
        return s;
    }
    static void print(String s) {
        System.out.println("print " + s);
    }
    static int step(int v, int i) {
        return v + i;
    }
    static List<String> addTo(List<String> l, String s) {
        l.add(s);
        return l;
    }
    static final Lookup L = lookup();

    static MethodHandle m(String n, Class<?> r, Class<?>... p) throws Exception {
        return L.findStatic(Handles2.class, n, methodType(r, p));
    }

    public static void main(String[] args) throws Throwable {
        MethodHandle add = m("add", int.class, int.class, int.class);
        MethodHandle cat = m("cat", String.class, String.class, String.class);
        MethodHandle neg = m("neg", boolean.class, int.class);
        MethodHandle twice = m("twice", int.class, int.class);
        MethodHandle str = m("str", String.class, int.class);
        MethodHandle boom = m("boom", int.class, int.class);
        t("bindTo", () -> (String) cat.bindTo("x").invokeExact("y"));
        t("insert", () -> (int) insertArguments(add, 1, 5).invokeExact(2));
        t("drop", () -> (int) dropArguments(add, 1, String.class, long.class).invoke(1, "q", 2L, 3));
        t("permute", () -> (String) permuteArguments(cat, cat.type(), 1, 0).invokeExact("a", "b"));
        t("permute2", () -> (int) permuteArguments(add, methodType(int.class, int.class), 0, 0).invokeExact(21));
        t("filterArgs", () -> (int) filterArguments(add, 0, twice, twice).invokeExact(3, 4));
        t("filterRet", () -> (String) filterReturnValue(add, str).invokeExact(3, 4));
        t("fold", () -> (int) foldArguments(add, twice).invokeExact(5));
        t("collect", () -> (int) collectArguments(add, 1, add).invokeExact(1, 2, 3));
        MethodHandle gwt = guardWithTest(neg, insertArguments(add, 0, 1000), twice);
        t("gwt", () -> (int) gwt.invokeExact(-5) + " " + (int) gwt.invokeExact(5));
        MethodHandle cat2 = catchException(boom, IllegalStateException.class, m("handler", int.class, IllegalStateException.class, int.class));
        t("catch", () -> (int) cat2.invokeExact(1) + " " + (int) cat2.invokeExact(7));
        MethodHandle tf = tryFinally(boom, m("fin", int.class, Throwable.class, int.class, int.class));
        t("tryFinally", () -> (int) tf.invokeExact(1));
        t("tryFinally2", () -> (int) tf.invokeExact(5));
        t("throwException", () -> throwException(int.class, Exception.class).invoke(new Exception("te")));
        t("constant", () -> (String) constant(String.class, "k").invokeExact() + identity(int.class).invoke(4) + zero(long.class).invoke()
            + empty(methodType(Object.class, int.class)).invoke(1));
        MethodHandle spread = add.asSpreader(int[].class, 2);
        t("spreader", () -> (int) spread.invokeExact(new int[] {4, 5}));
        t("spreader bad", () -> spread.invoke(new int[] {4}));
        t("spreader obj", () -> add.asSpreader(Object[].class, 2).invoke(new Object[] {1, 2}));
        t("collector", () -> m("tot", int.class, int[].class).asCollector(int[].class, 3).invoke(1, 2, 3));
        t("varargs", () -> m("tot", int.class, int[].class).asVarargsCollector(int[].class).invoke(1, 2, 3, 4));
        t("asType", () -> m("sum3", int.class, long.class, double.class, Integer.class)
            .asType(methodType(long.class, int.class, float.class, int.class)).invoke(1, 2f, 3));
        t("explicit", () -> explicitCastArguments(twice, methodType(byte.class, double.class)).invoke(100.7));
        t("explicit bool", () -> explicitCastArguments(identity(boolean.class), methodType(int.class, int.class)).invoke(3));
        t("counted", () -> (int) countedLoop(constant(int.class, 5), constant(int.class, 100), m("step", int.class, int.class, int.class)).invoke());
        t("while", () -> (int) whileLoop(zero(int.class), m("lt10", boolean.class, int.class), insertArguments(add, 1, 3)).invoke());
        t("doWhile", () -> (int) doWhileLoop(constant(int.class, 50), insertArguments(add, 1, 3), m("lt10", boolean.class, int.class)).invoke());
        t("iterated", () -> iteratedLoop(null, empty(methodType(void.class)).asType(methodType(void.class)),
            m("print", void.class, String.class)).invoke(List.of("p", "q")));
        t("arrayGet", () -> arrayElementGetter(long[].class).invoke(new long[] {5, 6}, 1));
        t("arraySet", () -> {
            String[] a = new String[2];
            arrayElementSetter(String[].class).invoke(a, 1, "set");
            return Arrays.toString(a);
        });
        t("arrayBad", () -> (int) arrayElementGetter(int[].class).invokeExact(new int[1], 4));
        t("arrayCtor", () -> ((byte[]) arrayConstructor(byte[].class).invokeExact(3)).length + (int) arrayLength(byte[].class).invokeExact(new byte[4]));
        t("exactInvoker", () -> (int) exactInvoker(add.type()).invokeExact(add, 1, 2));
        t("invoker", () -> (Object) invoker(methodType(Object.class, Object.class, Object.class)).invokeExact(add, (Object) 1, (Object) 2));
        t("spreadInvoker", () -> spreadInvoker(add.type(), 0).invoke(add, new Object[] {8, 9}));
        t("tableSwitch", () -> {
            MethodHandle d = dropArguments(constant(String.class, "def"), 0, int.class);
            MethodHandle ts = tableSwitch(d, dropArguments(constant(String.class, "zero"), 0, int.class), dropArguments(constant(String.class, "one"), 0, int.class));
            return (String) ts.invokeExact(0) + (String) ts.invokeExact(1) + (String) ts.invokeExact(2);
        });
        MutableCallSite mcs = new MutableCallSite(add);
        MethodHandle dyn = mcs.dynamicInvoker();
        t("mcs", () -> {
            int a = (int) dyn.invokeExact(3, 4);
            mcs.setTarget(permuteArguments(add, add.type(), 0, 0));
            int b = (int) dyn.invokeExact(3, 4);
            return a + " " + b;
        });
        SwitchPoint sp = new SwitchPoint();
        MethodHandle g = sp.guardWithTest(constant(String.class, "on"), constant(String.class, "off"));
        t("switchpoint", () -> {
            String a = (String) g.invokeExact();
            SwitchPoint.invalidateAll(new SwitchPoint[] {sp});
            return a + (String) g.invokeExact() + sp.hasBeenInvalidated();
        });
        t("volatileCS", () -> (int) new VolatileCallSite(twice).dynamicInvoker().invokeExact(4));
        t("proxy", () -> {
            Comparator<?> c = MethodHandleProxies.asInterfaceInstance(Comparator.class,
                L.findVirtual(String.class, "compareTo", methodType(int.class, String.class)).asType(methodType(int.class, Object.class, Object.class)));
            return ((Comparator<Object>) c).compare("a", "b");
        });
        t("wrong insert", () -> insertArguments(add, 0, "s"));
        t("wrong permute", () -> permuteArguments(add, add.type(), 0, 7));
        t("wrong gwt", () -> guardWithTest(add, add, add));
        MethodHandle big = identity(long.class);
        for (int i = 0; i < 200; i++) {
            big = filterReturnValue(big, insertArguments(L.findStatic(Math.class, "addExact", methodType(long.class, long.class, long.class)), 0, (long) i));
        }
        System.out.println((long) big.invokeExact(1L));
    }
}
