// SPDX-License-Identifier: Apache-2.0
// Methods that ask who calls them, inlined in their callers: reflection's checks of access from a class that has it and from one that has
// not, lookups from several classes, by reflection, by a method reference, by a method handle, from a lambda. As on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.02 -Xmx64m
// @modes asan stress
// @timeout 120
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

class Owner {
    private static int secret = 3;

    private Owner() {
    }

    private static int hidden(int x) {
        if (x % 100 == 99) {
            throw new IllegalStateException("at " + x);
        }
        return x + secret;
    }

    static int call(Method m, int x) throws ReflectiveOperationException {
        return (int) m.invoke(null, x);
    }

    static int read(Field f) throws ReflectiveOperationException {
        return f.getInt(null);
    }

    static Object make(Constructor<?> c) throws ReflectiveOperationException {
        return c.newInstance();
    }

    static Class<?> who() {
        return MethodHandles.lookup().lookupClass();
    }
}

public class Callers {
    static final Map<String, Integer> seen = new TreeMap<>();

    static void count(String what) {
        seen.merge(what, 1, Integer::sum);
    }

    interface Body {
        Object run() throws Throwable;
    }

    static void attempt(String what, Body body) {
        try {
            Object result = body.run();
            count(what + ": " + (result instanceof Integer ? "a number" : result instanceof Class<?> k ? k.getName().replaceAll("/.*", "") : result.getClass()));
        } catch (InvocationTargetException e) {
            count(what + ": " + e.getCause().getClass());
        } catch (Throwable e) {
            count(what + ": " + e);
        }
    }

    static int call(Method m, int x) throws ReflectiveOperationException {
        return (int) m.invoke(null, x);
    }

    static Class<?> who() {
        return MethodHandles.lookup().lookupClass();
    }

    public static void main(String[] args) throws Exception {
        Method m = Owner.class.getDeclaredMethod("hidden", int.class);
        Field f = Owner.class.getDeclaredField("secret");
        Constructor<?> c = Owner.class.getDeclaredConstructor();
        Method lookup = MethodHandles.class.getMethod("lookup");
        MethodHandle handle = MethodHandles.lookup().findStatic(MethodHandles.class, "lookup", MethodType.methodType(MethodHandles.Lookup.class));
        Supplier<MethodHandles.Lookup> reference = MethodHandles::lookup;
        Supplier<MethodHandles.Lookup> lambda = () -> MethodHandles.lookup();
        for (int i = 0; i < 3000; i++) {
            int x = i;
            attempt("invoke by the owner", () -> Owner.call(m, x));
            attempt("invoke by another", () -> call(m, x));
            attempt("read by the owner", () -> Owner.read(f));
            attempt("read by another", () -> f.getInt(null));
            attempt("made by the owner", () -> Owner.make(c));
            attempt("made by another", () -> c.newInstance());
            attempt("lookup by the owner", Owner::who);
            attempt("lookup by another", Callers::who);
            attempt("lookup by reflection", () -> ((MethodHandles.Lookup) lookup.invoke(null)).lookupClass());
            attempt("lookup by a handle", () -> ((MethodHandles.Lookup) handle.invokeExact()).lookupClass());
            attempt("lookup by a reference", () -> reference.get().lookupClass());
            attempt("lookup by a lambda", () -> lambda.get().lookupClass());
            attempt("wrong arguments", () -> m.invoke(null, "x"));
        }
        seen.forEach((what, times) -> System.out.println(what + " " + times));
    }
}
