// SPDX-License-Identifier: Apache-2.0
// A class loader made by Unsafe.allocateInstance: its constructor never ran, so that it has no unnamed module for its classes. No
// class is found or defined by it: InternalError. HotSpot ends the process instead ("Internal Error", of the same reason).
// @only pellucid
// @flags --add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/java.lang=ALL-UNNAMED
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Callable;

public class LoaderWithoutConstructor {
    static class Loader extends ClassLoader {
        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            System.out.println("asked for " + name);
            return super.loadClass(name);
        }
    }

    static void attempt(String what, Callable<?> c) {
        try {
            System.out.println(what + ": " + c.call());
        } catch (Throwable t) {
            System.out.println(what + ": " + (t instanceof InvocationTargetException ? t.getCause() : t));
        }
    }

    public static void main(String[] args) throws Exception {
        var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        var unsafe = (sun.misc.Unsafe) field.get(null);
        ClassLoader loader = (Loader) unsafe.allocateInstance(Loader.class);
        attempt("module", loader::getUnnamedModule);
        attempt("find", () -> Class.forName("java.lang.String", false, loader));
        byte[] bytes;
        try (var in = LoaderWithoutConstructor.class.getResourceAsStream("LoaderWithoutConstructor$Loader.class")) {
            bytes = in.readAllBytes();
        }
        var internal = Class.forName("jdk.internal.misc.Unsafe");
        var own = internal.getDeclaredField("theUnsafe");
        own.setAccessible(true);
        var define = internal.getDeclaredMethod("defineClass0", String.class, byte[].class, int.class, int.class,
            ClassLoader.class, java.security.ProtectionDomain.class);
        define.setAccessible(true);
        attempt("Unsafe", () -> define.invoke(own.get(null), null, bytes, 0, bytes.length, loader, null));
        var define1 = ClassLoader.class.getDeclaredMethod("defineClass1", ClassLoader.class, String.class, byte[].class,
            int.class, int.class, java.security.ProtectionDomain.class, String.class);
        define1.setAccessible(true);
        attempt("define", () -> define1.invoke(null, loader, null, bytes, 0, bytes.length, null, null));
        attempt("find in one with a constructor", () -> Class.forName("java.lang.String", false, new Loader() {}));
    }
}
