// SPDX-License-Identifier: Apache-2.0
// Annotations, generic signatures, parameters, record components, enclosing and declared classes.
// @quick
import java.lang.annotation.*;
import java.lang.reflect.*;
import java.util.*;

public class Reflect2 {
    enum Lv { LO, HI }
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE_USE)
    @interface Tu {
        int value() default 1;
    }
    @Retention(RetentionPolicy.RUNTIME)
    @Repeatable(Tags.class)
    @Inherited
    @interface Tag {
        String value();
        int n() default 5;
    }
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @interface Tags {
        Tag[] value();
    }
    @Retention(RetentionPolicy.RUNTIME)
    @interface Full {
        boolean z() default true;
        byte b() default 1;
        char c() default 'c';
        short s() default 2;
        int i() default 3;
        long l() default 4;
        float f() default 5.5f;
        double d() default 6.5;
        String str() default "s\u00e9";
        Class<?> cl() default int[].class;
        Lv lv() default Lv.HI;
        Tag tag() default @Tag("in");
        int[] ia() default {1, 2};
        String[] sa() default {};
        Class<?>[] ca() default {String.class, void.class};
        Lv[] la() default {Lv.LO, Lv.HI};
    }
    @interface ClassRet {}

    @Full
    @Deprecated
    @ClassRet
    static class An {}
    @Full(z = false, str = "x", ia = {}, tag = @Tag(value = "q", n = 9), cl = Reflect2.class)
    @Tag("a")
    @Tag("b")
    static class An2 {
        @Tag("field") int f;
        @Tag("m")
        void m(@Tag("p") int a, String b, @Tag("x") @Tag("y") long c) throws @Tu(4) Exception {}
        @Tag("ctor")
        An2() {}
        @Tu(7) List<@Tu(8) String> tu;
    }
    static class Sub2 extends An2 {}
    static class Gen<T extends Number & Comparable<? super T>, U> extends ArrayList<Map<T, ? extends U[]>> implements Iterable<Map<T, ? extends U[]>> {
        Map<String, List<? super T>>[] f;
        <X extends Exception> T m(U u, X[] x, int i) throws X {
            return null;
        }
        class In<V> {
            Gen<T, U>.In<V> self;
        }
    }
    @Tag("rec")
    record Rec<T>(@Tag("comp") T t, int... rest) {}

    static void pr(Object o) {
        System.out.println(o);
    }

    public static void main(String[] args) throws Exception {
        Full f = An.class.getAnnotation(Full.class);
        pr(f);
        pr(f.z() + " " + f.b() + f.c() + f.s() + f.i() + f.l() + f.f() + f.d() + f.str() + f.cl() + f.lv() + f.tag().value() + f.tag().n() + f.ia().length
            + Arrays.toString(f.ca()) + Arrays.toString(f.la()));
        pr(An2.class.getAnnotation(Full.class));
        pr(An.class.getAnnotations().length + " " + An.class.isAnnotationPresent(ClassRet.class) + " " + f.annotationType() + f.equals(An.class.getAnnotation(Full.class))
            + (f.hashCode() == An.class.getAnnotation(Full.class).hashCode()));
        pr(Arrays.toString(An2.class.getAnnotationsByType(Tag.class)) + An2.class.getAnnotation(Tag.class) + An2.class.getAnnotation(Tags.class).value().length);
        pr(Arrays.toString(Sub2.class.getAnnotations()) + Sub2.class.getDeclaredAnnotations().length);
        Method m = An2.class.getDeclaredMethod("m", int.class, String.class, long.class);
        pr(Arrays.toString(m.getAnnotations()) + Arrays.deepToString(m.getParameterAnnotations()));
        for (Parameter p : m.getParameters()) {
            pr(p + " " + p.isNamePresent() + Arrays.toString(p.getAnnotationsByType(Tag.class)));
        }
        pr(Arrays.toString(m.getAnnotatedExceptionTypes()[0].getAnnotations()));
        AnnotatedParameterizedType apt = (AnnotatedParameterizedType) An2.class.getDeclaredField("tu").getAnnotatedType();
        pr(Arrays.toString(apt.getAnnotations()) + Arrays.toString(apt.getAnnotatedActualTypeArguments()[0].getAnnotations()));
        pr(Arrays.toString(An2.class.getDeclaredField("f").getAnnotations()) + Arrays.toString(An2.class.getDeclaredConstructor().getAnnotations()));
        Class<?> g = Gen.class;
        pr(g.toGenericString() + g.getGenericSuperclass() + Arrays.toString(g.getGenericInterfaces()));
        for (TypeVariable<?> tv : g.getTypeParameters()) {
            pr(tv + Arrays.toString(tv.getBounds()) + tv.getGenericDeclaration());
        }
        pr(g.getDeclaredField("f").getGenericType() + " " + g.getDeclaredField("f").getType());
        for (Method gm : g.getDeclaredMethods()) {
            if (gm.getName().equals("m")) {
                pr(gm.toGenericString() + Arrays.toString(gm.getGenericParameterTypes()) + Arrays.toString(gm.getGenericExceptionTypes()));
            }
        }
        pr(Gen.In.class.getDeclaredField("self").getGenericType());
        RecordComponent[] rc = Rec.class.getRecordComponents();
        for (RecordComponent c : rc) {
            pr(c + " " + c.getGenericType() + c.getGenericSignature() + Arrays.toString(c.getAnnotations()) + c.getAccessor());
        }
        for (Parameter p : Rec.class.getDeclaredConstructors()[0].getParameters()) {
            pr(p + " " + p.getName() + p.isNamePresent() + p.isVarArgs());
        }
        class Local {
            Object an = new Object() {};
        }
        pr(Local.class.getEnclosingMethod() + " " + Local.class.getEnclosingClass() + " " + new Local().an.getClass().getEnclosingClass() + " "
            + new Local().an.getClass().getEnclosingMethod() + new Local().an.getClass().getEnclosingConstructor());
        List<String> names = new ArrayList<>();
        for (Class<?> c : Reflect2.class.getDeclaredClasses()) {
            names.add(c.getSimpleName() + ":" + Modifier.toString(c.getModifiers()));
        }
        Collections.sort(names);
        pr(names);
        pr(Full.class.getMethod("i").getDefaultValue() + " " + Full.class.getMethod("ca").getDefaultValue().getClass());
        pr(Arrays.toString(FunctionalInterface.class.getAnnotations()));
        pr(Thread.class.getMethod("stop").getAnnotation(Deprecated.class));
    }
}
