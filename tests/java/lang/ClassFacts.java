// SPDX-License-Identifier: Apache-2.0
// Class objects: names, modifiers, hierarchy, primitive mirrors, arrays, protection domains, packages.
// @quick
import java.lang.reflect.Modifier;
import java.util.*;

public class ClassFacts {
    private static abstract class Abs<T> implements Runnable, Comparable<Abs<T>> {}
    @FunctionalInterface
    interface F {
        void f();
    }
    @interface An {}
    enum E { X { } }

    public static void main(String[] args) throws Exception {
        Object anon = new Object() {};
        F lam = () -> {};
        Class<?>[] cs = {int.class, void.class, int[].class, String[][].class, ClassFacts.class, Abs.class, F.class, An.class, E.class,
            E.X.getClass(), anon.getClass(), Map.Entry.class, Object.class, Cloneable.class, Class.class, Thread.State.class};
        for (Class<?> c : cs) {
            System.out.println(c + "|" + c.getName() + "|" + c.getSimpleName() + "|" + c.getCanonicalName() + "|" + c.getTypeName() + "|"
                + c.getPackageName() + "|" + Modifier.toString(c.getModifiers()) + "|" + c.getSuperclass() + "|"
                + Arrays.toString(c.getInterfaces()) + "|" + c.isArray() + c.isPrimitive() + c.isInterface() + c.isAnnotation()
                + c.isEnum() + c.isAnonymousClass() + c.isMemberClass() + c.isSynthetic() + "|" + c.getComponentType() + "|"
                + c.getClassLoader() + "|" + c.descriptorString() + "|" + (c == void.class ? null : c.arrayType()) + "|" + c.getDeclaringClass() + "|"
                + c.toGenericString());
        }
        System.out.println(lam.getClass().isHidden() + " " + lam.getClass().isSynthetic() + " " + lam.getClass().getInterfaces()[0]);
        System.out.println(Class.forName("[I") + " " + Class.forName("[Ljava.lang.String;") + " " + Class.forName("[[Z").getComponentType());
        for (String n : new String[] {"int", "I", "[Q", "[", "java/lang/String", "Ljava.lang.String;", "", "ClassFacts$Abs", "[LNoSuch;",
            "[Lint;", "java.lang"}) {
            try {
                System.out.println(Class.forName(n));
            } catch (ClassNotFoundException e) {
                System.out.println(e);
            }
        }
        try {
            Class.forName(null);
        } catch (NullPointerException e) {
            System.out.println("NPE");
        }
        System.out.println(ClassFacts.class.getProtectionDomain().getCodeSource() != null);
        System.out.println(Object.class.getProtectionDomain().getCodeSource());
        System.out.println(String.class.getPackage() + " " + ClassFacts.class.getPackage().getName().isEmpty());
        System.out.println(ClassFacts.class.getModule() + " " + String.class.getModule() + " " + int[].class.getModule());
        System.out.println(int.class == Integer.TYPE && Integer.class != Integer.TYPE);
        System.out.println(ClassFacts.class.getClassLoader().getClass().getName());
        System.out.println(ClassFacts.class.hashCode() == ClassFacts.class.hashCode());
        Object[] o = (Object[]) java.lang.reflect.Array.newInstance(Abs.class, 2);
        System.out.println(o.getClass().getName() + " " + (o.getClass() == Abs[].class));
        try {
            Class.class.cast("s");
        } catch (ClassCastException e) {
            System.out.println(e.getMessage());
        }
        try {
            Abs.class.getDeclaredConstructor().newInstance();
        } catch (InstantiationException e) {
            System.out.println(e);
        }
    }
}
