// SPDX-License-Identifier: Apache-2.0
// The accessors of reflection may read what is private and are not verified; a class becomes one in the loaders that are
// meant for it only.
// @quick
// @mask (?<=A/)0x[0-9a-f]+
// @flags --add-opens java.base/jdk.internal.reflect=ALL-UNNAMED --add-exports java.base/jdk.internal.reflect=ALL-UNNAMED --add-opens java.base/java.lang=ALL-UNNAMED
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.security.ProtectionDomain;

public class MagicAccessors {
    static final String PACKAGE = "jdk/internal/reflect/";
    private static int secret = 42;

    // Reads a private field of another class; in a wrong method it returns an int as an Object.
    static Asm accessor(String name, String sup, boolean wrong) {
        Asm a = new Asm(50, 33, name, sup);
        a.method(1, "<init>", "()V").size(1, 1).op(0x2a).invokeSpecial(sup, "<init>", "()V").op(0xb1);
        a.method(9, "m", "()I").size(1, 0).op2(0xb2, a.fref("MagicAccessors", "secret", "I")).op(0xac);
        if (wrong) {
            a.method(9, "wrong", "()Ljava/lang/Object;").size(1, 0).op(0x04, 0xb0);
        }
        return a;
    }

    static ClassLoader delegating() throws ReflectiveOperationException {
        Constructor<?> c = Class.forName("jdk.internal.reflect.DelegatingClassLoader").getDeclaredConstructor(ClassLoader.class);
        c.setAccessible(true);
        return (ClassLoader) c.newInstance(MagicAccessors.class.getClassLoader());
    }

    static Class<?> defineIn(ClassLoader l, Asm a) throws Throwable {
        Method m = ClassLoader.class.getDeclaredMethod("defineClass1", ClassLoader.class, String.class, byte[].class, int.class, int.class,
            ProtectionDomain.class, String.class);
        m.setAccessible(true);
        byte[] b = a.bytes();
        try {
            return (Class<?>) m.invoke(null, l, a.name.replace('/', '.'), b, 0, b.length, null, "here");
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    static Object call(Class<?> c) throws Throwable {
        return c.getMethod("m").invoke(null);
    }

    static void inLoaders(String sup) {
        String s = sup.substring(sup.lastIndexOf('/') + 1);
        Asm.t(s + " user loader", () -> Asm.run(accessor("A", sup, false)));
        Asm.t(s + " user loader, same package name", () -> Asm.run(accessor(PACKAGE + "A", sup, false)));
        Asm.t(s + " user loader, not verifiable", () -> Asm.run(accessor("A", sup, true)));
        Asm.t(s + " hidden", () -> call(MethodHandles.lookup().defineHiddenClass(accessor("A", sup, false).bytes(), false).lookupClass()));
        Asm.t(s + " lookup", () -> call(MethodHandles.lookup().defineClass(accessor("InApp" + s, sup, false).bytes())));
        Asm.t(s + " delegating loader", () -> call(defineIn(delegating(), accessor("A", sup, false))));
        Asm.t(s + " delegating loader, not verifiable", () -> call(defineIn(delegating(), accessor(PACKAGE + "Generated1", sup, true))));
        Asm.t(s + " platform loader", () -> call(defineIn(ClassLoader.getPlatformClassLoader(), accessor("InPlatform" + s, sup, false))));
        Asm.t(s + " boot loader", () -> defineIn(null, accessor("InBoot" + s, sup, false)).getDeclaredConstructor().newInstance().getClass());
    }

    public static void main(String[] args) throws Throwable {
        for (String s : new String[] {"MagicAccessorImpl", "MethodAccessorImpl", "ConstructorAccessorImpl", "FieldAccessorImpl", "SerializationConstructorAccessorImpl"}) {
            inLoaders(PACKAGE + s);
        }
        inLoaders(PACKAGE + "UTF8");
        inLoaders(PACKAGE + "ReflectionFactory");
        inLoaders(PACKAGE + "MethodAccessor");
        inLoaders("java/lang/Object");
    }
}
