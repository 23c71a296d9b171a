// SPDX-License-Identifier: Apache-2.0
// The names of dropped classes go with them: of classes in loaders, of hidden ones, of classes and members that were looked for in vain.
// Each class has 6 KB of names that no other class has; each kind would grow by 18 MB without that. With arguments, a longer
// run that says how large the process is: <loaders> <classes in each> <every how many loaders a line>.
// @flags -Xmx24m -Xmn4m -XX:MetaspaceSize=12m
// @flags --add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
// @javac --add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
// @only pellucid
// @timeout 120
// The sanitizer keeps freed memory back, 256 MB of it unless told otherwise, which would look like growth.
// @modes asan
// @asan quarantine_size_mb=1 thread_local_quarantine_size_kb=64
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntSupplier;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;

public class UnloadNames {
    static final int LIMIT_KB = 9000;

    // A class with a field of its own, whose name is that long and a number.
    static byte[] generate(String name, int length) {
        ClassWriter w = new ClassWriter(0);
        w.visit(Opcodes.V11, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", new String[] {"java/util/function/IntSupplier"});
        w.visitField(0, "x".repeat(length) + number, "[L" + name + ";", null, null);
        MethodVisitor init = w.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        init.visitVarInsn(Opcodes.ALOAD, 0);
        init.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        init.visitInsn(Opcodes.RETURN);
        init.visitMaxs(1, 1);
        MethodVisitor three = w.visitMethod(0, "three" + number, "()I", null, null);
        three.visitInsn(Opcodes.ICONST_3);
        three.visitInsn(Opcodes.IRETURN);
        three.visitMaxs(1, 1);
        MethodVisitor get = w.visitMethod(Opcodes.ACC_PUBLIC, "getAsInt", "()I", null, null);
        get.visitVarInsn(Opcodes.ALOAD, 0);
        get.visitMethodInsn(Opcodes.INVOKEVIRTUAL, name, "three" + number, "()I", false);
        get.visitInsn(Opcodes.IRETURN);
        get.visitMaxs(1, 1);
        w.visitEnd();
        return w.toByteArray();
    }

    static long residentKb() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IllegalStateException("no VmRSS");
    }

    static class Loader extends ClassLoader {
        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    static int number, sum;

    static void loader(int classes, int length) throws Exception {
        Loader l = new Loader();
        for (int i = 0; i < classes; i++) {
            Class<?> c = l.define("Generated" + ++number, generate("Generated" + number, length));
            sum += ((IntSupplier) c.getDeclaredConstructor().newInstance()).getAsInt();
        }
    }

    static void hidden(int length) throws Exception {
        byte[] bytes = generate("Generated" + ++number, length);
        Class<?> c = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
        sum += ((IntSupplier) c.getDeclaredConstructor().newInstance()).getAsInt();
    }

    static void missing(int length) {
        try {
            Class.forName("Missing" + number++ + "x".repeat(length), false, new ClassLoader(null) {});
            sum = -1;
        } catch (ClassNotFoundException e) {
            sum++;
        }
    }

    interface Round {
        void run() throws Exception;
    }

    static void flat(String what, Round round) throws Exception {
        round.run();
        long before = residentKb();
        for (int i = 0; i < 3; i++) {
            round.run();
        }
        long grown = residentKb() - before;
        System.out.println(what + (grown < LIMIT_KB ? " flat" : " grew by " + grown + " KB"));
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 3) {
            int every = Integer.parseInt(args[2]);
            for (int i = 0; i < Integer.parseInt(args[0]); i++) {
                loader(Integer.parseInt(args[1]), 0);
                if (i % every == 0) {
                    System.out.println(number + " classes, " + residentKb() + " KB");
                }
            }
            return;
        }
        flat("loaders", () -> {
            for (int i = 0; i < 20; i++) {
                loader(50, 6000);
            }
        });
        flat("hidden", () -> {
            for (int i = 0; i < 1000; i++) {
                hidden(6000);
            }
        });
        flat("missing", () -> {
            for (int i = 0; i < 1000; i++) {
                missing(6000);
            }
        });
        System.out.println(sum);
    }
}
