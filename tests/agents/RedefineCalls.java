// SPDX-License-Identifier: Apache-2.0
// After a redefinition every kind of call site runs the new version; statics, breakpoints, reflection.
// @agent ti_redefine
// @quick
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.function.Function;
import java.util.function.Supplier;

@Retention(RetentionPolicy.RUNTIME)
@interface Mark {
    String value();
}

interface CallI {
    String iface();

    default String dflt() {
        return "default1";
    }

    static String stat() {
        return "istatic1";
    }
}
interface CallJ {
    String iface();

    default String dflt() {
        return "default2";
    }

    static String stat() {
        return "istatic2";
    }
}
abstract class BaseOfCalls {
    String inherited() {
        return "inherited";
    }
    abstract String abs();
}
@Mark("one")
class CallA extends BaseOfCalls implements CallI {
    static int count = initial();
    static final String constant = "constant1";
    int field = 1;
    static int initial() {
        System.out.println("initializer");
        return 5;
    }
    static String stat() { return "static1"; }
    private String priv() { return "private1"; }
    String callPrivate() { return priv(); }
    public String iface() { return "iface1"; }
    String abs() { return "abs1"; }
    final String fin() { return "final1"; }
    @Mark("m1") public String reflected(int a) throws IllegalStateException { return "reflected1 " + a; }
    String inherited() { return "over1 " + super.inherited(); }
    CallA() { field = 10; }
    public String toString() { return "toString1"; }
    Supplier<String> lambda() { return () -> "lambda1 " + field; }
    static Supplier<String> reference() { return CallA::stat; }
    String concat(String s) { return "concat1" + s + field; }
    static String sw(String s) {
        switch (s) {
        case "a": return "A1";
        default: return "?1";
        }
    }
    static <T> T generic(T t) { return t; }
}
@Mark("two")
class CallB extends BaseOfCalls implements CallI {
    static int count = initial();
    static final String constant = "constant2";
    int field = 1;
    static int initial() {
        System.out.println("initializer2");
        return 6;
    }
    static String stat() { return "static2"; }
    private String priv() { return "private2"; }
    String callPrivate() { return priv(); }
    public String iface() { return "iface2"; }
    String abs() { return "abs2"; }
    final String fin() { return "final2"; }
    @Mark("m2") public String reflected(int b) throws IllegalStateException { return "reflected2 " + b; }
    String inherited() { return "over2 " + super.inherited(); }
    CallB() { field = 20; }
    public String toString() { return "toString2"; }
    Supplier<String> lambda() { return () -> "lambda2 " + field; }
    static Supplier<String> reference() { return CallB::stat; }
    String concat(String s) { return "concat2" + s + field; }
    static String sw(String s) {
        switch (s) {
        case "b": return "B2";
        default: return "?2";
        }
    }
    static <T> T generic(T t) { return t; }
}
class CallSub extends CallA {
    String inherited() { return "sub " + super.inherited(); }
}

public class RedefineCalls extends Redefiner {
    static MethodHandle virtual, stat, special, bound;
    static Method reflected, statMethod;
    static Supplier<String> oldLambda, oldReference, concat;
    static Function<CallA, String> viaReference = CallA::callPrivate;

    static void calls(CallA a, BaseOfCalls b, CallI i, CallA sub) throws Throwable {
        System.out.println(CallA.stat() + " " + a.callPrivate() + " " + a.iface() + " " + i.iface() + " " + i.dflt() + " " + CallI.stat());
        System.out.println(b.abs() + " " + b.inherited() + " " + a.fin() + " " + sub.inherited() + " " + sub + " " + a);
        System.out.println((String) virtual.invokeExact(a) + " " + (String) stat.invokeExact() + " " + (String) bound.invokeExact());
        System.out.println(reflected.invoke(a, 3) + " " + statMethod.invoke(null) + " " + callKept(CallA.class));
        System.out.println(oldLambda.get() + " " + oldReference.get() + " " + viaReference.apply(a) + " " + a.lambda().get() + " " + CallA.reference().get());
        System.out.println(a.concat("x") + " " + CallA.sw("a") + CallA.sw("b") + " " + new CallA().field + " " + CallA.count + " " + CallA.generic("g"));
    }

    static void facts() throws Exception {
        Method m = CallA.class.getMethod("reflected", int.class);
        System.out.println(CallA.class.getAnnotation(Mark.class) + " " + m.getAnnotation(Mark.class) + " " + m.getParameters()[0].getName() + " "
                           + m.equals(reflected) + " " + m.invoke(new CallA(), 4));
        Field f = CallA.class.getDeclaredField("constant");
        f.setAccessible(true);
        System.out.println(f.get(null) + " " + CallA.class.getDeclaredMethods().length + " " + CallA.class.getDeclaredConstructor().newInstance().field);
    }

    public static void main(String[] args) throws Throwable {
        CallA a = new CallA(), sub = new CallSub();
        MethodHandles.Lookup l = MethodHandles.lookup();
        virtual = l.findVirtual(CallA.class, "iface", MethodType.methodType(String.class));
        stat = l.findStatic(CallA.class, "stat", MethodType.methodType(String.class));
        bound = virtual.bindTo(a);
        reflected = CallA.class.getMethod("reflected", int.class);
        statMethod = CallA.class.getDeclaredMethod("stat");
        oldLambda = a.lambda();
        oldReference = CallA.reference();
        keep(statMethod);
        calls(a, a, a, sub);
        facts();
        CallA.count = 7;
        System.out.println("-> " + become(CallA.class, "CallB"));
        calls(a, a, a, sub);
        facts();
        System.out.println("-> " + become(CallI.class, "CallJ"));
        calls(a, a, a, sub);
        for (int i = 0; i < 20; i++) // past the switch of reflection to bytecode
            reflected.invoke(a, i);
        System.out.println("-> " + redefine(new Class<?>[] {CallA.class, CallI.class}, new byte[][] {file("CallA"), file("CallI")}));
        calls(a, a, a, sub);
        facts();
        System.out.println("set " + breakpoint(statMethod, true) + " " + breakpoint(statMethod, true));
        CallA.stat();
        System.out.println("hits " + hits() + " -> " + become(CallA.class, "CallB"));
        CallA.stat();
        System.out.println("hits " + hits() + " clear " + breakpoint(statMethod, false) + " set " + breakpoint(statMethod, true));
        CallA.stat();
        System.out.println("hits " + hits() + " clear " + breakpoint(statMethod, false));
        CallA.stat();
        System.out.println("hits " + hits() + " " + retransform(CallA.class, CallI.class, String.class, Thread.class));
        calls(a, a, a, sub);
    }
}
