// SPDX-License-Identifier: Apache-2.0
// Random redefinitions of classes and interfaces that depend on each other, with -XX:+AllowEnhancedClassRedefinition. The model is a
// loader that defines the same versions anew: what it cannot load must be refused, and all calls do the same in both.
// Arguments: how many redefinitions, and the seed.
// @agent ti_redefine
// @only pellucid
// @javac --add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
// @flags -XX:+AllowEnhancedClassRedefinition --add-exports=java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import static jdk.internal.org.objectweb.asm.Opcodes.*;

class Redefiner { // of the natives of the agent that one alone: this file is compiled by itself
    static native int redefine(Class<?>[] classes, byte[][] files);
}

public class EnhancedRandom extends Redefiner {
    static final int CLASSES = 6, FACES = 3, NAMES = 5;

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

    final Random random;
    final int[] supers = new int[CLASSES]; // -1: Object
    final List<List<Integer>> faces = new ArrayList<>(); // of the classes, then of the interfaces
    Map<String, byte[]> files = new HashMap<>();

    EnhancedRandom(long seed) {
        random = new Random(seed);
        for (int c = 0; c < CLASSES; c++) {
            supers[c] = random.nextInt(4) == 0 ? -1 : random.nextInt(c + 1) - 1;
            faces.add(someFaces(FACES));
        }
        for (int f = 0; f < FACES; f++)
            faces.add(someFaces(f));
        for (int c = 0; c < CLASSES; c++)
            files.put("C" + c, classFile(c));
        for (int f = 0; f < FACES; f++)
            files.put("I" + f, faceFile(f));
        files.put("P", probe());
    }

    List<Integer> someFaces(int below) {
        List<Integer> some = new ArrayList<>();
        for (int f = 0; f < below; f++)
            if (random.nextInt(3) == 0)
                some.add(f);
        return some;
    }
    ClassWriter begin(int access, String name, String sup, List<Integer> ifs) {
        ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        w.visit(V11, access, name, null, sup, ifs.stream().map(f -> "I" + f).toArray(String[]::new));
        return w;
    }

    // Sometimes one more, or one less. An interface extends those below it alone.
    List<Integer> moreFaces(int i) {
        List<Integer> more = new ArrayList<>(faces.get(i));
        int f = random.nextInt(FACES);
        if (random.nextInt(4) == 0 && !more.isEmpty())
            more.remove(random.nextInt(more.size()));
        if (random.nextInt(3) == 0 && !more.contains(f) && (i < CLASSES || f < i - CLASSES))
            more.add(random.nextInt(more.size() + 1), f);
        return more;
    }

    // ---- bodies: a number, and maybe what a method of a later name says ----
    void body(MethodVisitor m, boolean isStatic, int n, int c, int f) {
        m.visitCode();
        m.visitLdcInsn(random.nextInt(1000));
        int kind = n + 1 < NAMES ? random.nextInt(5) : -1, other = random.nextInt(CLASSES);
        String name = "m" + (n + 1 + random.nextInt(NAMES - n));
        if (kind == 0 && c >= 0 && !isStatic)
            call(m, 0, INVOKEVIRTUAL, "C" + c, name, false);
        else if (kind == 1 && c >= 0 && !isStatic && supers[c] >= 0)
            call(m, 0, INVOKESPECIAL, "C" + supers[c], name, false);
        else if (kind == 2)
            call(m, -1, INVOKESTATIC, "C" + other, name, false);
        else if (kind == 3 && !isStatic)
            call(m, 0, INVOKEINTERFACE, "I" + (f >= 0 ? f : random.nextInt(FACES)), name, true);
        m.visitInsn(IRETURN);
        m.visitMaxs(0, 0);
        m.visitEnd();
    }
    void call(MethodVisitor m, int receiver, int op, String owner, String name, boolean isFace) {
        if (receiver >= 0)
            m.visitVarInsn(ALOAD, receiver);
        m.visitMethodInsn(op, owner, name, "()I", isFace);
        m.visitInsn(IADD);
    }
    void method(ClassWriter w, int access, int n, int c, int f) {
        MethodVisitor m = w.visitMethod(access, "m" + n, "()I", null, null);
        if ((access & ACC_ABSTRACT) == 0)
            body(m, (access & ACC_STATIC) != 0, n, c, f);
        else
            m.visitEnd();
    }
    byte[] classFile(int c) {
        int[] kinds = {ACC_PUBLIC, ACC_PUBLIC, ACC_PUBLIC, 0, ACC_PROTECTED, ACC_PRIVATE, ACC_PUBLIC | ACC_STATIC, ACC_PUBLIC | ACC_FINAL,
            ACC_PUBLIC | ACC_SYNCHRONIZED};
        String sup = supers[c] < 0 ? "java/lang/Object" : "C" + supers[c];
        ClassWriter w = begin(ACC_PUBLIC | ACC_SUPER | (random.nextInt(12) == 0 ? ACC_FINAL : 0), "C" + c, sup, faces.get(c));
        MethodVisitor init = w.visitMethod(ACC_PUBLIC, "<init>", "()V", null, null);
        init.visitCode();
        init.visitVarInsn(ALOAD, 0);
        init.visitMethodInsn(INVOKESPECIAL, sup, "<init>", "()V", false);
        init.visitInsn(RETURN);
        init.visitMaxs(0, 0);
        init.visitEnd();
        for (int n = 0; n < NAMES; n++)
            if (random.nextInt(3) != 0)
                method(w, kinds[random.nextInt(kinds.length)], n, c, -1);
        w.visitEnd();
        return w.toByteArray();
    }
    byte[] faceFile(int f) {
        int[] kinds = {ACC_PUBLIC | ACC_ABSTRACT, ACC_PUBLIC | ACC_ABSTRACT, ACC_PUBLIC, ACC_PUBLIC, ACC_PUBLIC | ACC_STATIC, ACC_PRIVATE};
        ClassWriter w = begin(ACC_PUBLIC | ACC_INTERFACE | ACC_ABSTRACT, "I" + f, "java/lang/Object", faces.get(CLASSES + f));
        for (int n = 0; n < NAMES; n++)
            if (random.nextInt(3) != 0)
                method(w, kinds[random.nextInt(kinds.length)], n, -1, f);
        w.visitEnd();
        return w.toByteArray();
    }

    // The class that calls all of them and is not redefined: call(which, receiver).
    static byte[] probe() {
        ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        w.visit(V1_6, ACC_PUBLIC, "P", null, "java/lang/Object", null);
        for (int owner = 0; owner < 2 * CLASSES + FACES; owner++)
            for (int n = 0; n < NAMES; n++) {
                MethodVisitor m = w.visitMethod(ACC_PUBLIC | ACC_STATIC, "p" + (owner * NAMES + n), "(Ljava/lang/Object;)I", null, null);
                m.visitCode();
                String name = owner < CLASSES ? "C" + owner : owner < 2 * CLASSES ? "C" + (owner - CLASSES) : "I" + (owner - 2 * CLASSES);
                boolean isStatic = owner >= CLASSES && owner < 2 * CLASSES, isFace = owner >= 2 * CLASSES;
                if (!isStatic) {
                    m.visitVarInsn(ALOAD, 0);
                    m.visitTypeInsn(CHECKCAST, name);
                }
                m.visitMethodInsn(isStatic ? INVOKESTATIC : isFace ? INVOKEINTERFACE : INVOKEVIRTUAL, name, "m" + n, "()I", isFace);
                m.visitInsn(IRETURN);
                m.visitMaxs(0, 0);
                m.visitEnd();
            }
        w.visitEnd();
        return w.toByteArray();
    }

    // ---- what all calls come to ----
    static class World {
        final Class<?>[] classes = new Class<?>[CLASSES + FACES];
        final Object[] objects = new Object[CLASSES];
        final java.lang.reflect.Method[] calls;

        World(Map<String, byte[]> files) throws Exception {
            ClassLoader loader = new Versions(files);
            for (int c = 0; c < CLASSES; c++)
                classes[c] = Class.forName("C" + c, true, loader);
            for (int f = 0; f < FACES; f++)
                classes[CLASSES + f] = Class.forName("I" + f, true, loader);
            for (int c = 0; c < CLASSES; c++)
                objects[c] = classes[c].getDeclaredConstructor().newInstance();
            Class<?> p = Class.forName("P", true, loader);
            calls = new java.lang.reflect.Method[(2 * CLASSES + FACES) * NAMES];
            for (int i = 0; i < calls.length; i++)
                calls[i] = p.getMethod("p" + i, Object.class);
        }
        List<String> results() throws Exception {
            List<String> all = new ArrayList<>();
            for (int i = 0; i < calls.length; i++)
                for (Object o : objects)
                    all.add(calls[i].getName() + " of " + o.getClass().getName() + " " + result(calls[i], o));
            for (Object o : objects)
                for (Class<?> c : classes)
                    all.add(o.getClass().getName() + " is a " + c.getName() + " " + c.isInstance(o) + names(o.getClass().getInterfaces()));
            for (Class<?> c : classes)
                all.add(c.getName() + " has " + new java.util.TreeSet<>(names(c)) + " " + c.getModifiers());
            return all;
        }
        static List<String> names(Class<?>[] of) {
            List<String> names = new ArrayList<>();
            for (Class<?> c : of)
                names.add(c.getName());
            return names;
        }
        static List<String> names(Class<?> c) {
            List<String> names = new ArrayList<>();
            for (java.lang.reflect.Method m : c.getDeclaredMethods())
                names.add(m.getModifiers() + " " + m.getName());
            for (java.lang.reflect.Method m : c.getMethods())
                if (m.getDeclaringClass() != Object.class)
                    names.add(m.getDeclaringClass().getName() + "." + m.getName());
            return names;
        }
        static String result(java.lang.reflect.Method call, Object o) throws Exception {
            try {
                return call.invoke(null, o).toString();
            } catch (java.lang.reflect.InvocationTargetException e) {
                return e.getCause().getClass().getName();
            }
        }
    }

    World loadable(Map<String, byte[]> files) throws Exception {
        try {
            return new World(files);
        } catch (LinkageError e) {
            return null;
        }
    }

    static int redefined, refused;

    // One more version of some of the classes.
    boolean step(World live) throws Exception {
        Map<String, byte[]> next = new HashMap<>(files);
        List<List<Integer>> before = new ArrayList<>(faces);
        List<Class<?>> which = new ArrayList<>();
        List<byte[]> what = new ArrayList<>();
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            int i = random.nextInt(CLASSES + FACES);
            if (which.contains(live.classes[i]))
                continue;
            faces.set(i, moreFaces(i));
            byte[] file = i < CLASSES ? classFile(i) : faceFile(i - CLASSES);
            next.put(live.classes[i].getName(), file);
            which.add(live.classes[i]);
            what.add(file);
        }
        World model = loadable(next);
        int error = redefine(which.toArray(new Class<?>[0]), what.toArray(new byte[0][]));
        if ((error == 0) != (model != null)) {
            System.out.println("error " + error + " where the model " + (model == null ? "cannot load them" : "loads them"));
            return false;
        }
        if (error == 0)
            files = next;
        else
            for (int i = 0; i < before.size(); i++)
                faces.set(i, before.get(i));
        redefined += error == 0 ? 1 : 0;
        refused += error == 0 ? 0 : 1;
        List<String> got = live.results(), right = (model == null ? new World(files) : model).results();
        for (int i = 0; i < got.size(); i++)
            if (!got.get(i).equals(right.get(i))) {
                System.out.println("after " + redefined + " got " + got.get(i) + ", the model " + right.get(i));
                return false;
            }
        return true;
    }

    public static void main(String[] args) throws Exception {
        int steps = args.length > 0 ? Integer.parseInt(args[0]) : 150;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : 1;
        for (; redefined < steps; seed++) {
            EnhancedRandom one = new EnhancedRandom(seed);
            World live = one.loadable(one.files);
            for (int i = 0; live != null && i < 40; i++)
                if (!one.step(live)) {
                    System.out.println("seed " + seed);
                    return;
                }
        }
        System.out.println("all the same: " + (redefined >= steps) + ", some refused: " + (refused > 0));
    }
}
