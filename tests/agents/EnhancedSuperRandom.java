// SPDX-License-Identifier: Apache-2.0
// Classes that get any other superclass of their own kind, and other fields, at random, one or two at once (-XX:+AllowEnhancedClassRedefinition).
// What each field of each object must hold afterwards is worked out here; what bytecode finds (fields, calls, casts) is compared with a loader that
// defines the same versions anew. What is refused has changed nothing, and no field holds what is not of its type. Arguments: how many
// redefinitions, and the seed.
// @agent ti_redefine
// @only pellucid
// @javac --add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
// @flags -Dsun.reflect.inflationThreshold=1000000 -XX:+AllowEnhancedClassRedefinition --add-exports=java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Type;
import static jdk.internal.org.objectweb.asm.Opcodes.*;

class Redefiner { // of the natives of the agent that one alone: this file is compiled by itself
    static native int redefine(Class<?>[] classes, byte[][] files);
}

public class EnhancedSuperRandom extends Redefiner {
    static final int CLASSES = 6, NAMES = 2, OBJECTS = 2 * CLASSES;
    static final String[] TYPES = {"I", "J", "B", "Ljava/lang/String;", "Ljava/lang/Object;", "LC0;"};

    static class Versions extends ClassLoader {
        final Map<String, byte[]> files;

        Versions(Map<String, byte[]> files) {
            super(null);
            this.files = files;
        }
        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] file = files.get(name);
            if (file == null)
                throw new ClassNotFoundException(name);
            return defineClass(name, file, 0, file.length);
        }
    }

    record Declared(String name, String type) { }
    record Place(int object, int owner, Declared field) { }

    // The classes as they are: superclasses (-1: Object), fields, which declare who().
    static class Shape {
        int[] supers = new int[CLASSES];
        List<List<Declared>> fields = new ArrayList<>();
        boolean[] overrides = new boolean[CLASSES];

        Shape copy() {
            Shape s = new Shape();
            s.supers = supers.clone();
            s.fields = new ArrayList<>(fields);
            s.overrides = overrides.clone();
            return s;
        }
        List<Integer> chain(int c) {
            List<Integer> all = new ArrayList<>();
            for (; c >= 0 && !all.contains(c); c = supers[c])
                all.add(c);
            return all;
        }
        boolean isBelow(int c, int s) { return chain(c).contains(s); }
        Map<String, byte[]> files() {
            Map<String, byte[]> all = new HashMap<>();
            for (int c = 0; c < CLASSES; c++)
                all.put("C" + c, file(c));
            all.put("P", probe());
            return all;
        }
        byte[] file(int c) {
            String name = "C" + c, sup = supers[c] < 0 ? "java/lang/Object" : "C" + supers[c];
            ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            w.visit(V11, ACC_PUBLIC | ACC_SUPER, name, null, sup, null);
            for (Declared d : fields.get(c))
                w.visitField(ACC_PUBLIC, d.name, d.type, null, null).visitEnd();
            MethodVisitor m = w.visitMethod(ACC_PUBLIC, "<init>", "()V", null, null);
            m.visitVarInsn(ALOAD, 0);
            m.visitMethodInsn(INVOKESPECIAL, sup, "<init>", "()V", false);
            end(m, RETURN);
            if (overrides[c] || supers[c] < 0) {
                m = w.visitMethod(ACC_PUBLIC, "who", "()Ljava/lang/String;", null, null);
                m.visitLdcInsn(name);
                if (supers[c] >= 0) {
                    m.visitVarInsn(ALOAD, 0);
                    m.visitMethodInsn(INVOKESPECIAL, sup, "who", "()Ljava/lang/String;", false);
                    m.visitMethodInsn(INVOKEVIRTUAL, "java/lang/String", "concat", "(Ljava/lang/String;)Ljava/lang/String;", false);
                }
                end(m, ARETURN);
            }
            m = w.visitMethod(ACC_PUBLIC, "own" + c, "()Ljava/lang/String;", null, null);
            m.visitLdcInsn("own of " + name);
            end(m, ARETURN);
            w.visitEnd();
            return w.toByteArray();
        }
    }

    static void end(MethodVisitor m, int op) {
        m.visitInsn(op);
        m.visitMaxs(0, 0);
        m.visitEnd();
    }
    static String member(int owner, Declared d) { return owner + "_" + d.name + "_" + Arrays.asList(TYPES).indexOf(d.type); }

    // The class that names all of them and is not redefined.
    static byte[] probe() {
        ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        w.visit(V1_6, ACC_PUBLIC, "P", null, "java/lang/Object", null);
        for (int c = 0; c < CLASSES; c++) {
            for (Declared d : allFields()) {
                MethodVisitor m = w.visitMethod(ACC_PUBLIC | ACC_STATIC, "get" + member(c, d), "(Ljava/lang/Object;)" + d.type, null, null);
                m.visitVarInsn(ALOAD, 0);
                m.visitTypeInsn(CHECKCAST, "C" + c);
                m.visitFieldInsn(GETFIELD, "C" + c, d.name, d.type);
                end(m, Type.getType(d.type).getOpcode(IRETURN));
                m = w.visitMethod(ACC_PUBLIC | ACC_STATIC, "set" + member(c, d), "(Ljava/lang/Object;" + d.type + ")V", null, null);
                m.visitVarInsn(ALOAD, 0);
                m.visitTypeInsn(CHECKCAST, "C" + c);
                m.visitVarInsn(Type.getType(d.type).getOpcode(ILOAD), 1);
                m.visitFieldInsn(PUTFIELD, "C" + c, d.name, d.type);
                end(m, RETURN);
            }
            call(w, c, "who");
            call(w, c, "own" + c);
        }
        w.visitEnd();
        return w.toByteArray();
    }
    static void call(ClassWriter w, int c, String name) {
        MethodVisitor m = w.visitMethod(ACC_PUBLIC | ACC_STATIC, "call" + c + name, "(Ljava/lang/Object;)Ljava/lang/String;", null, null);
        m.visitVarInsn(ALOAD, 0);
        m.visitTypeInsn(CHECKCAST, "C" + c);
        m.visitMethodInsn(INVOKEVIRTUAL, "C" + c, name, "()Ljava/lang/String;", false);
        end(m, ARETURN);
    }
    static List<Declared> allFields() {
        List<Declared> all = new ArrayList<>();
        for (int n = 0; n < NAMES; n++)
            for (String t : TYPES)
                all.add(new Declared("f" + n, t));
        return all;
    }

    static class World {
        final Class<?>[] classes = new Class<?>[CLASSES];
        final Object[] objects = new Object[OBJECTS];
        final Map<String, Method> probes = new HashMap<>();

        World(Shape s) throws Exception {
            ClassLoader loader = new Versions(s.files());
            for (int c = 0; c < CLASSES; c++)
                classes[c] = Class.forName("C" + c, true, loader);
            for (int o = 0; o < OBJECTS; o++)
                objects[o] = classes[o % CLASSES].getDeclaredConstructor().newInstance();
            for (Method m : Class.forName("P", true, loader).getMethods())
                if (m.getDeclaringClass() != Object.class)
                    probes.put(m.getName(), m);
        }
        Object get(Place p) throws Exception { return probes.get("get" + member(p.owner, p.field)).invoke(null, objects[p.object]); }
        void set(Place p, Object value) throws Exception { probes.get("set" + member(p.owner, p.field)).invoke(null, objects[p.object], value); }
        List<String> results() throws Exception {
            List<String> all = new ArrayList<>();
            for (Map.Entry<String, Method> p : new java.util.TreeMap<>(probes).entrySet()) {
                String name = p.getKey();
                int named = Character.digit(name.replaceFirst("^\\D*", "").charAt(0), 10);
                for (int o = 0; o < OBJECTS && !name.startsWith("set"); o++)
                    if (classes[named].isInstance(objects[o]) || o == 0)
                        all.add(name + " of " + o + ": " + result(p.getValue(), objects[o]));
            }
            for (Class<?> c : classes) {
                all.add(c + " " + c.getSuperclass() + " " + Arrays.toString(c.getDeclaredFields()));
                for (Object o : objects)
                    all.add(c + " " + c.isInstance(o));
            }
            return all;
        }
        String result(Method m, Object o) throws Exception {
            try {
                Object got = m.invoke(null, o);
                int number = Arrays.asList(objects).indexOf(got);
                return number >= 0 ? "object " + number : String.valueOf(got);
            } catch (InvocationTargetException e) {
                return e.getCause().getClass().getName();
            }
        }
    }

    final Random random;
    Shape shape = new Shape();
    static int taken, refused;

    EnhancedSuperRandom(long seed) {
        random = new Random(seed);
        for (int c = 0; c < CLASSES; c++) {
            shape.supers[c] = random.nextInt(c + 1) - 1;
            shape.fields.add(someFields());
            shape.overrides[c] = random.nextBoolean();
        }
    }
    List<Declared> someFields() {
        List<Declared> some = new ArrayList<>();
        for (int n = random.nextInt(4); n > 0; n--) {
            Declared d = new Declared("f" + random.nextInt(NAMES), TYPES[random.nextInt(TYPES.length)]);
            if (some.stream().noneMatch(o -> o.name.equals(d.name)))
                some.add(d);
        }
        return some;
    }
    Object someValue(Declared d, Object[] objects, Class<?> c0) {
        int n = 1 + random.nextInt(100), o = random.nextInt(OBJECTS);
        switch (d.type) {
        case "I": return n;
        case "J": return (1L << 40) + n;
        case "B": return (byte) -n;
        case "Ljava/lang/String;": return "s" + n;
        case "LC0;": return random.nextInt(8) == 0 && c0.isInstance(objects[o]) ? objects[o] : null;
        default: return n % 2 == 0 ? "s" + n : n;
        }
    }
    static Object zero(String type) {
        switch (type) {
        case "I": return 0;
        case "J": return 0L;
        case "B": return (byte) 0;
        default: return null;
        }
    }
    static Object converted(String from, String to, Object value, Class<?> c0) {
        if (from.equals(to))
            return value;
        if (from.length() == 1 || to.length() == 1) {
            boolean wider = from.equals("B") && (to.equals("I") || to.equals("J")) || from.equals("I") && to.equals("J");
            return !wider ? zero(to) : to.equals("I") ? (Object) ((Number) value).intValue() : (Object) ((Number) value).longValue();
        }
        boolean fits = to.equals("Ljava/lang/Object;") || to.equals("Ljava/lang/String;") && value instanceof String || to.equals("LC0;") && c0.isInstance(value);
        return fits ? value : null;
    }

    List<Place> places(Shape s) {
        List<Place> all = new ArrayList<>();
        for (int o = 0; o < OBJECTS; o++)
            for (int c : s.chain(o % CLASSES))
                for (Declared d : s.fields.get(c))
                    all.add(new Place(o, c, d));
        return all;
    }
    // As the classes see each other: a field that is hidden by one of the same name and type in a subclass is found through its own class.
    Map<Place, Object> values(World w, Shape s) throws Exception {
        Map<Place, Object> all = new HashMap<>();
        for (Place p : places(s))
            all.put(p, w.get(p));
        return all;
    }

    // What a redefinition makes of the values.
    Map<Place, Object> expected(Map<Place, Object> before, Shape next, List<Integer> changed, Class<?> c0) {
        Map<Place, Object> all = new HashMap<>();
        for (Place p : places(next)) {
            List<Integer> old = shape.chain(p.object % CLASSES);
            Place from = old.contains(p.owner) ? kept(p, next) : gained(p, next, changed);
            all.put(p, from == null ? zero(p.field.type) : converted(from.field.type, p.field.type, before.get(from), c0));
        }
        return all;
    }
    Place kept(Place p, Shape next) {
        for (Declared d : shape.fields.get(p.owner))
            if (d.equals(p.field))
                return p;
        for (Declared d : shape.fields.get(p.owner))
            if (d.name.equals(p.field.name) && !next.fields.get(p.owner).contains(d))
                return new Place(p.object, p.owner, d);
        return lost(p, p.owner, next, false);
    }
    // Of the superclasses that `by` loses.
    Place lost(Place p, int by, Shape next, boolean sameType) {
        for (int s : shape.chain(by))
            if (!next.isBelow(by, s))
                for (Declared d : shape.fields.get(s))
                    if (d.name.equals(p.field.name) && (!sameType || d.equals(p.field)))
                        return new Place(p.object, s, d);
        return null;
    }
    Place gained(Place p, Shape next, List<Integer> changed) {
        for (int by : changed)
            if (next.supers[by] != shape.supers[by] && next.isBelow(p.object % CLASSES, by) && next.supers[by] >= 0
                && next.isBelow(next.supers[by], p.owner) && !shape.isBelow(by, p.owner)) {
                if (shape.fields.get(by).contains(p.field) && !next.fields.get(by).contains(p.field))
                    return shape.isBelow(p.object % CLASSES, by) ? new Place(p.object, by, p.field) : null;
                Place from = lost(p, by, next, true);
                return from != null && shape.isBelow(p.object % CLASSES, from.owner) ? from : null;
            }
        return null;
    }

    boolean step(World live) throws Exception {
        Shape next = shape.copy();
        List<Integer> changed = new ArrayList<>();
        for (int n = 1 + random.nextInt(2); n > 0; n--) {
            int c = random.nextInt(CLASSES), s = random.nextInt(CLASSES + 1) - 1;
            if (changed.contains(c))
                continue;
            changed.add(c);
            if (!shape.isBelow(s, c) && !next.isBelow(s, c))
                next.supers[c] = s;
            if (random.nextInt(3) == 0)
                next.fields.set(c, someFields());
            next.overrides[c] = random.nextBoolean();
        }
        for (Place p : places(shape))
            live.set(p, someValue(p.field, live.objects, live.classes[0]));
        Map<Place, Object> before = values(live, shape);
        Class<?>[] which = changed.stream().map(c -> live.classes[c]).toArray(Class<?>[]::new);
        byte[][] what = changed.stream().map(next::file).toArray(byte[][]::new);
        if (redefine(which, what) != 0) {
            refused++;
            return same("values", before, values(live, shape)) && sameResults(live);
        }
        taken++;
        Map<Place, Object> expected = expected(before, next, changed, live.classes[0]);
        shape = next;
        return same("values", expected, values(live, shape)) && keepsTypes(live) && sameResults(live);
    }
    boolean same(String what, Map<Place, Object> right, Map<Place, Object> got) {
        for (Place p : right.keySet())
            if (!Objects.equals(right.get(p), got.get(p))) {
                System.out.println("after " + taken + " " + p + " is " + got.get(p) + ", not " + right.get(p));
                return false;
            }
        return right.size() == got.size();
    }
    boolean keepsTypes(World live) throws Exception {
        for (Place p : places(shape))
            if (p.field.type.equals("LC0;") && live.get(p) != null && !live.classes[0].isInstance(live.get(p))) {
                System.out.println("after " + taken + " " + p + " holds " + live.get(p));
                return false;
            }
        return true;
    }
    boolean sameResults(World live) throws Exception {
        if (random.nextInt(8) == 0)
            System.gc();
        if (random.nextInt(3) != 0)
            return true;
        World model = new World(shape);
        Object[] from = live.objects;
        for (Place p : places(shape)) {
            Object value = live.get(p);
            int number = Arrays.asList(from).indexOf(value);
            model.set(p, number >= 0 ? model.objects[number] : value);
        }
        List<String> got = live.results(), right = model.results();
        for (int i = 0; i < right.size(); i++)
            if (!got.get(i).equals(right.get(i))) {
                System.out.println("after " + taken + " got " + got.get(i) + ", the model " + right.get(i));
                return false;
            }
        return got.size() == right.size();
    }

    public static void main(String[] args) throws Exception {
        int steps = args.length > 0 ? Integer.parseInt(args[0]) : 80;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : 1;
        for (; taken + refused < steps; seed++) {
            EnhancedSuperRandom one = new EnhancedSuperRandom(seed);
            World live = new World(one.shape);
            for (int i = 0; i < 25; i++)
                if (!one.step(live)) {
                    System.out.println("seed " + seed);
                    return;
                }
        }
        System.out.println("all the same: " + (taken > refused));
        System.err.println(taken + " taken, " + refused + " refused");
    }
}
