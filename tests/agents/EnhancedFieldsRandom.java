// SPDX-License-Identifier: Apache-2.0
// Random fields of classes that extend each other, redefined with -XX:+AllowEnhancedClassRedefinition; now and then one gets a new superclass,
// to which fields of the same name and type move. What each field of each object must
// hold afterwards is worked out here; what bytecode that names fields finds is compared with a loader that defines the same versions anew.
// Fields that are gone are written to by old Field objects all the time. Arguments: how many redefinitions, and the seed.
// @agent ti_redefine
// @only pellucid
// @javac --add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
// @flags -Dsun.reflect.inflationThreshold=1000000 -XX:+AllowEnhancedClassRedefinition --add-exports=java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Type;
import static jdk.internal.org.objectweb.asm.Opcodes.*;

class Redefiner { // of the natives of the agent that one alone: this file is compiled by itself
    static native int redefine(Class<?>[] classes, byte[][] files);
}

public class EnhancedFieldsRandom extends Redefiner {
    static final int CLASSES = 5, NAMES = 4, MOST = 12; // those from CLASSES on come as superclasses of others
    static final String[] TYPES = {"I", "J", "B", "D", "C", "Z", "S", "F", "Ljava/lang/String;", "Ljava/lang/Object;", "[I"};

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

    record Declared(int access, String name, String type) {
        boolean isStatic() { return (access & ACC_STATIC) != 0; }
        boolean is(Declared d) { return isStatic() == d.isStatic() && name.equals(d.name) && type.equals(d.type); }
    }
    record Stale(Field field, int owner, Declared declared) { }

    final Random random;
    final int[] supers = new int[MOST]; // -1: Object
    int used = CLASSES;
    List<List<Declared>> fields = new ArrayList<>();
    final List<Stale> stale = new ArrayList<>();
    Map<String, byte[]> files = new HashMap<>();

    EnhancedFieldsRandom(long seed) {
        random = new Random(seed);
        for (int c = 0; c < CLASSES; c++) {
            supers[c] = random.nextInt(4) == 0 ? -1 : random.nextInt(c + 1) - 1;
            fields.add(someFields(List.of()));
            files.put(name(c), classFile(c, fields.get(c)));
        }
        files.put("P", probe());
    }

    List<Declared> someFields(List<Declared> before) {
        List<Declared> some = new ArrayList<>();
        for (Declared d : before)
            if (random.nextInt(4) != 0)
                some.add(random.nextInt(4) == 0 ? new Declared((d.access & ACC_STATIC) | access(), d.name, d.type) : d);
        for (int n = random.nextInt(4); n > 0; n--) {
            Declared d = new Declared(access() | (random.nextInt(3) == 0 ? ACC_STATIC : 0), "f" + random.nextInt(NAMES), TYPES[random.nextInt(TYPES.length)]);
            if (some.stream().noneMatch(o -> o.name.equals(d.name)))
                some.add(random.nextInt(some.size() + 1), d);
        }
        return some;
    }
    static String name(int c) { return c < CLASSES ? "C" + c : "S" + (c - CLASSES); }
    // Class c gets one between it and its superclass.
    void insertSuper(int c) {
        List<Declared> some = new ArrayList<>(someFields(fields.get(c)));
        some.removeIf(Declared::isStatic);
        supers[used] = supers[c];
        supers[c] = used;
        fields.add(some);
        files.put(name(used), classFile(used, some));
        used++;
    }
    int access() {
        return new int[] {ACC_PUBLIC, ACC_PUBLIC, 0, ACC_PUBLIC | ACC_VOLATILE, ACC_PRIVATE, ACC_PROTECTED | ACC_TRANSIENT}[random.nextInt(6)];
    }
    byte[] classFile(int c, List<Declared> of) {
        String sup = supers[c] < 0 ? "java/lang/Object" : name(supers[c]);
        ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        w.visit(V11, ACC_PUBLIC | ACC_SUPER, name(c), null, sup, null);
        for (Declared d : of)
            w.visitField(d.access, d.name, d.type, null, null).visitEnd();
        MethodVisitor m = w.visitMethod(ACC_PUBLIC, "<init>", "()V", null, null);
        m.visitCode();
        m.visitVarInsn(ALOAD, 0);
        m.visitMethodInsn(INVOKESPECIAL, sup, "<init>", "()V", false);
        m.visitInsn(RETURN);
        m.visitMaxs(0, 0);
        m.visitEnd();
        w.visitEnd();
        return w.toByteArray();
    }

    // The class that names all of them and is not redefined.
    static byte[] probe() {
        ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        w.visit(V1_6, ACC_PUBLIC, "P", null, "java/lang/Object", null);
        for (int i = 0; i < 2 * CLASSES * NAMES * TYPES.length; i++) {
            String type = TYPES[i % TYPES.length], name = "f" + i / TYPES.length % NAMES, owner = "C" + i / TYPES.length / NAMES % CLASSES;
            MethodVisitor m = w.visitMethod(ACC_PUBLIC | ACC_STATIC, "p" + i, "(Ljava/lang/Object;)" + type, null, null);
            m.visitCode();
            if (i >= CLASSES * NAMES * TYPES.length) {
                m.visitFieldInsn(GETSTATIC, owner, name, type);
            } else {
                m.visitVarInsn(ALOAD, 0);
                m.visitTypeInsn(CHECKCAST, owner);
                m.visitFieldInsn(GETFIELD, owner, name, type);
            }
            m.visitInsn(Type.getType(type).getOpcode(IRETURN));
            m.visitMaxs(0, 0);
            m.visitEnd();
        }
        w.visitEnd();
        return w.toByteArray();
    }

    static class World {
        Class<?>[] classes = {};
        final ClassLoader loader;
        final List<Object> objects = new ArrayList<>();
        final java.lang.reflect.Method[] probes;

        World(Map<String, byte[]> files) throws Exception {
            loader = new Versions(files);
            find(CLASSES);
            Class<?> p = Class.forName("P", true, loader);
            probes = new java.lang.reflect.Method[2 * CLASSES * NAMES * TYPES.length];
            for (int i = 0; i < probes.length; i++)
                probes[i] = p.getMethod("p" + i, Object.class);
        }
        void find(int count) throws Exception {
            int there = classes.length;
            classes = java.util.Arrays.copyOf(classes, count);
            for (int c = there; c < count; c++)
                classes[c] = Class.forName(name(c), true, loader);
        }
        void make() throws Exception {
            for (int c = 0; c < CLASSES; c++)
                objects.add(classes[c].getDeclaredConstructor().newInstance());
        }
        List<String> results() {
            List<String> all = new ArrayList<>();
            for (java.lang.reflect.Method p : probes)
                for (Object o : objects)
                    all.add(p.getName() + " of " + o.getClass().getName() + " " + result(p, o));
            for (Class<?> c : classes)
                for (Field f : c.getDeclaredFields())
                    all.add(c.getName() + " " + f);
            return all;
        }
        static String result(java.lang.reflect.Method p, Object o) {
            try {
                Object got = p.invoke(null, o);
                return got instanceof int[] a ? "array of " + a.length : String.valueOf(got);
            } catch (java.lang.reflect.InvocationTargetException e) {
                return e.getCause().getClass().getName();
            } catch (IllegalAccessException e) {
                return e.toString();
            }
        }
    }

    static Field field(World w, int owner, Declared d) throws Exception {
        Field f = w.classes[owner].getDeclaredField(d.name);
        f.setAccessible(true);
        return f;
    }
    Object someValue(String type) {
        int n = 1 + random.nextInt(100);
        switch (type.charAt(0)) {
        case 'I': return n;
        case 'J': return (1L << 40) + n;
        case 'B': return (byte) -n;
        case 'D': return n + 0.5;
        case 'C': return (char) (0xff00 + n);
        case 'Z': return true;
        case 'S': return (short) -n;
        case 'F': return n + 0.25f;
        case '[': return new int[n];
        default: return type.endsWith("String;") || n % 2 == 0 ? "s" + n : new int[n];
        }
    }
    static Object zero(String type) {
        switch (type.charAt(0)) {
        case 'I': return 0;
        case 'J': return 0L;
        case 'B': return (byte) 0;
        case 'D': return 0.0;
        case 'C': return '\0';
        case 'Z': return false;
        case 'S': return (short) 0;
        case 'F': return 0f;
        default: return null;
        }
    }
    // What a field of another type gets of a value.
    static Object converted(String from, String to, Object value) {
        if (from.equals(to))
            return value;
        if (from.length() > 1 && to.length() > 1)
            return to.endsWith("Object;") || (to.endsWith("String;") && value instanceof String) || (to.equals("[I") && value instanceof int[]) ? value : null;
        String order = "BSIJFD";
        int a = order.indexOf(from.equals("C") ? "S" : from), b = order.indexOf(to);
        if (from.length() > 1 || a < 0 || b <= a)
            return zero(to);
        Number n = value instanceof Character c ? (int) c : (Number) value;
        switch (to.charAt(0)) {
        case 'S': return n.shortValue();
        case 'I': return n.intValue();
        case 'J': return n.longValue();
        case 'F': return n.floatValue();
        default: return n.doubleValue();
        }
    }

    // What all fields hold: of a class its statics, of an object its instance fields, by place.
    Map<String, Object> values(World w) throws Exception {
        Map<String, Object> all = new LinkedHashMap<>();
        for (int c = 0; c < used; c++)
            for (Declared d : fields.get(c))
                for (int o = 0; o < (d.isStatic() ? 1 : w.objects.size()); o++)
                    if (d.isStatic() || w.classes[c].isInstance(w.objects.get(o)))
                        all.put(place(c, d, o), field(w, c, d).get(w.objects.get(o)));
        return all;
    }
    static String place(int c, Declared d, int object) {
        return name(c) + "." + d.name + d.type + d.isStatic() + (d.isStatic() ? "" : " of " + object);
    }
    void setAll(World w, World other) throws Exception {
        for (int c = 0; c < used; c++)
            for (Declared d : fields.get(c))
                for (int o = 0; o < (d.isStatic() ? 1 : w.objects.size()); o++) {
                    if (!d.isStatic() && !w.classes[c].isInstance(w.objects.get(o)))
                        continue;
                    Object value = someValue(d.type);
                    field(w, c, d).set(w.objects.get(o), value);
                    field(other, c, d).set(other.objects.get(o), value);
                }
    }
    void writeStale(World w) throws Exception {
        for (Stale s : stale)
            if (fields.get(s.owner).stream().noneMatch(s.declared::is))
                for (Object o : w.objects)
                    if (w.classes[s.owner].isInstance(o))
                        s.field.set(o, someValue(s.declared.type));
    }

    static int redefined;

    boolean step(World live) throws Exception {
        Map<String, Object> before = values(live), expected = new HashMap<>();
        List<List<Declared>> old = new ArrayList<>(fields);
        List<Class<?>> which = new ArrayList<>();
        List<byte[]> what = new ArrayList<>();
        Map<Integer, Integer> gained = new HashMap<>();
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            int c = random.nextInt(live.classes.length);
            if (which.contains(live.classes[c]))
                continue;
            for (Declared d : fields.get(c))
                stale.add(new Stale(field(live, c, d), c, d));
            if (used < MOST && random.nextInt(8) == 0) {
                insertSuper(c);
                gained.put(used - 1, c);
            }
            fields.set(c, someFields(fields.get(c)));
            files.put(name(c), classFile(c, fields.get(c)));
            which.add(live.classes[c]);
            what.add(files.get(name(c)));
        }
        int error = redefine(which.toArray(new Class<?>[0]), what.toArray(new byte[0][]));
        if (error != 0) {
            System.out.println("error " + error);
            return false;
        }
        redefined++;
        live.find(used);
        writeStale(live);
        for (int c = 0; c < used; c++)
            for (Declared d : fields.get(c))
                for (int o = 0; o < (d.isStatic() ? 1 : live.objects.size()); o++) {
                    if (c >= old.size()) {
                        int by = gained.get(c);
                        boolean moved = old.get(by).stream().anyMatch(d::is) && fields.get(by).stream().noneMatch(d::is);
                        if (live.classes[c].isInstance(live.objects.get(o)))
                            expected.put(place(c, d, o), moved ? before.get(place(by, d, o)) : zero(d.type));
                        continue;
                    }
                    Declared from = old.get(c).stream().filter(d::is).findAny().orElse(old.get(c).stream().filter(x -> x.name.equals(d.name) && x.isStatic() == d.isStatic())
                        .findAny().orElse(null));
                    if (d.isStatic() || live.classes[c].isInstance(live.objects.get(o)))
                        expected.put(place(c, d, o), from == null ? zero(d.type) : converted(from.type, d.type, before.get(place(c, from, o))));
                }
        return sameValues(values(live), expected) && sameProbes(live);
    }
    boolean sameValues(Map<String, Object> got, Map<String, Object> expected) {
        for (String place : expected.keySet())
            if (!java.util.Objects.equals(got.get(place), expected.get(place))) {
                System.out.println("after " + redefined + " " + place + " is " + got.get(place) + ", not " + expected.get(place));
                return false;
            }
        return got.size() == expected.size();
    }
    boolean sameProbes(World live) throws Exception {
        if (live.objects.size() < 4 * CLASSES && random.nextInt(4) == 0)
            live.make();
        if (random.nextInt(16) == 0)
            System.gc();
        World model = new World(files);
        model.find(used);
        while (model.objects.size() < live.objects.size())
            model.make();
        setAll(live, model);
        writeStale(live);
        List<String> got = live.results(), right = model.results();
        for (int i = 0; i < Math.max(got.size(), right.size()); i++)
            if (i >= got.size() || i >= right.size() || !got.get(i).equals(right.get(i))) {
                System.out.println("after " + redefined + " got " + got.subList(i, Math.min(i + 1, got.size())) + ", the model " + right.subList(i, Math.min(i + 1, right.size())));
                return false;
            }
        return true;
    }

    public static void main(String[] args) throws Exception {
        int steps = args.length > 0 ? Integer.parseInt(args[0]) : 60;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : 1;
        for (; redefined < steps; seed++) {
            EnhancedFieldsRandom one = new EnhancedFieldsRandom(seed);
            World live = new World(one.files);
            live.make();
            for (int i = 0; i < 30; i++)
                if (!one.step(live)) {
                    System.out.println("seed " + seed);
                    return;
                }
        }
        System.out.println("all the same: " + (redefined >= steps));
    }
}
