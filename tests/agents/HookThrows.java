// SPDX-License-Identifier: Apache-2.0
// An exception that a ClassFileLoadHook leaves pending: it fails the loading of the class, by whatever way, and makes the error
// of a redefinition or retransformation.
// @agent ti_hook_throws
// @quick
import java.io.*;
import java.lang.invoke.*;
import java.util.function.Function;

public class HookThrows {
    static native void expect(String name, Class<?> thrown, Class<?> replacing, int mode);
    static native int retransform(Class<?> c);
    static native int redefine(Class<?> c, byte[] file);
    static native Class<?> find(String name);

    static final int LEAVE = 0, CLEAR = 1, REPLACE = 2, GARBAGE = 3;

    interface Step {
        Object run() throws Throwable;
    }

    static class Loaded { }
    static class Super { }
    static class Sub extends Super { }
    static class Parameter { }
    static class WithParameter { void method(Parameter p) { } }
    static class InSignature { }
    static class OfHandle { static void method() { } }
    static class Changed { }
    static class OfJni { }
    static class OfArray { }

    static class Own extends ClassLoader {
        Class<?> define(String name, byte[] file) {
            return defineClass(name, file, 0, file.length);
        }
    }

    static byte[] file(Class<?> c) throws IOException {
        try (InputStream in = c.getResourceAsStream("/" + c.getName() + ".class")) {
            return in.readAllBytes();
        }
    }

    static void attempt(String name, int mode, Step step) {
        expect(name, IllegalStateException.class, ArithmeticException.class, mode);
        System.out.println(name + " " + mode);
        for (int i = 0; i < 2; i++) {
            try {
                Object o = step.run();
                System.out.println("    " + (o instanceof Class || o instanceof Integer ? o : o != null));
            } catch (Throwable t) {
                System.out.println("    " + t);
                for (Throwable c = t.getCause(); c != null; c = c.getCause()) {
                    System.out.println("    of " + c);
                }
                System.out.println("    at " + t.getStackTrace()[0]);
            }
        }
    }

    static void loading() throws Exception {
        byte[] own = file(OfJni.class);
        attempt("HookThrows$Loaded", LEAVE, () -> new Loaded());
        attempt("HookThrows$Loaded", REPLACE, () -> Class.forName("HookThrows$Loaded"));
        attempt("HookThrows$Loaded", GARBAGE, () -> Loaded.class);
        attempt("HookThrows$Loaded", CLEAR, () -> new Loaded());
        attempt("HookThrows$Super", LEAVE, () -> new Sub());
        attempt("HookThrows$Parameter", LEAVE, () -> WithParameter.class.getDeclaredMethods());
        attempt("HookThrows$InSignature", LEAVE, () -> { Function<InSignature, String> f = x -> "text"; return f; });
        attempt("HookThrows$OfHandle", LEAVE, () -> { Runnable r = OfHandle::method; return r; });
        attempt("HookThrows$OfArray", LEAVE, () -> new OfArray[1][2]);
        attempt("HookThrows$OfJni", LEAVE, () -> find("HookThrows$OfJni"));
        Own loader = new Own();
        attempt("HookThrows$OfJni", REPLACE, () -> loader.define("HookThrows$OfJni", own));
        attempt("HookThrows$OfJni", CLEAR, () -> new Own().define("HookThrows$OfJni", own));
        attempt("HookThrows$OfJni", LEAVE, () -> MethodHandles.lookup().defineClass(own));
        attempt("HookThrows$OfJni", LEAVE, () -> MethodHandles.lookup().defineHiddenClass(own, false));
        attempt("java/util/zip/CRC32C", LEAVE, () -> Class.forName("java.util.zip.CRC32C", true, null));
        attempt("java/util/zip/CRC32C", LEAVE, () -> new java.util.zip.CRC32C());
        attempt("java/util/zip/CRC32C", CLEAR, () -> find("java/util/zip/CRC32C"));
        attempt("java/sql/Blob", LEAVE, () -> java.sql.Blob.class);
    }

    static void changing() throws Exception {
        byte[] file = file(Changed.class);
        Class<?>[] thrown = {IllegalStateException.class, OutOfMemoryError.class, StackOverflowError.class, ClassFormatError.class,
            java.lang.reflect.GenericSignatureFormatError.class, UnsupportedClassVersionError.class, ClassCircularityError.class,
            NoClassDefFoundError.class, VerifyError.class, LinkageError.class, ClassNotFoundException.class};
        Changed.class.getName();
        for (int mode = LEAVE; mode <= GARBAGE; mode++) {
            for (Class<?> c : thrown) {
                expect("HookThrows$Changed", c, mode == REPLACE ? ClassFormatError.class : c, mode);
                System.out.println(mode + " " + c);
                System.out.println(retransform(Changed.class) + " " + redefine(Changed.class, file) + " " + redefine(Changed.class, new byte[3]));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        loading();
        changing();
    }
}
