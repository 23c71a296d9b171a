// SPDX-License-Identifier: Apache-2.0
// Subroutines of old class files under an agent: locals that hold return addresses, steps and breakpoints through jsr and ret, frames popped or
// returned from inside a subroutine, classes redefined and retransformed while one runs.
// @agent ti_jsr
// @javac --add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
// @flags --add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
// @quick
import jdk.internal.org.objectweb.asm.*;
import static jdk.internal.org.objectweb.asm.Opcodes.*;

public class JsrTools {
    static native String locals(int slots);
    static native int setInt(int slot, int value);
    static native void setSame(int slot);
    static native int setObject(int slot, Object value);
    static native long location();
    static native void describe(Class<?> c);
    static native void steps(Class<?> c, String method, boolean on);
    static native int stop(Class<?> c, String method, long at, int what, int n);
    static native int redefine(Class<?> c, byte[] file);
    static native int retransform(Class<?> c);

    static Runnable inside = () -> { };
    public static void probe() {
        inside.run();
    }
    static int increment;
    static byte[] changed(byte[] file) { // called when a class Made... is transformed
        if (increment == 0)
            return null;
        ClassReader r = new ClassReader(file);
        ClassWriter w = new ClassWriter(0);
        r.accept(new ClassVisitor(ASM8, w) {
            @Override public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
                return new MethodVisitor(ASM8, super.visitMethod(access, name, desc, signature, exceptions)) {
                    @Override public void visitIincInsn(int slot, int by) { super.visitIincInsn(slot, by == 1 ? increment : by); }
                };
            }
        }, 0);
        return w.toByteArray();
    }

    /** A finally clause of an old compiler: one subroutine, called from two places and from a handler. */
    static void simple(ClassWriter w, int by) {
        MethodVisitor m = w.visitMethod(ACC_PUBLIC | ACC_STATIC, "simple", "(I)I", null, null);
        Label sub = new Label(), from = new Label(), to = new Label(), any = new Label(), out = new Label(), start = new Label(), end = new Label();
        m.visitCode();
        m.visitLabel(start);
        m.visitLineNumber(1, start);
        m.visitInsn(ICONST_0);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(from);
        m.visitLineNumber(2, from);
        m.visitIincInsn(1, 10);
        m.visitJumpInsn(JSR, sub);
        m.visitIincInsn(1, 10);
        m.visitIntInsn(BIPUSH, 6);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IDIV);
        m.visitVarInsn(ISTORE, 3);
        m.visitLabel(to);
        m.visitJumpInsn(JSR, sub);
        m.visitJumpInsn(GOTO, out);
        m.visitLabel(any);
        m.visitLineNumber(3, any);
        m.visitVarInsn(ASTORE, 3);
        m.visitJumpInsn(JSR, sub);
        m.visitIincInsn(1, 100);
        m.visitJumpInsn(GOTO, out);
        m.visitLabel(sub);
        m.visitLineNumber(4, sub);
        m.visitVarInsn(ASTORE, 2);
        m.visitIincInsn(1, by);
        m.visitMethodInsn(INVOKESTATIC, "JsrTools", "probe", "()V", false);
        m.visitVarInsn(RET, 2);
        m.visitLabel(out);
        m.visitLineNumber(5, out);
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(IRETURN);
        m.visitLabel(end);
        m.visitTryCatchBlock(from, to, any, null);
        m.visitLocalVariable("n", "I", null, start, end, 0);
        m.visitLocalVariable("sum", "I", null, from, end, 1);
        m.visitLocalVariable("back", "Ljava/lang/Object;", null, sub, out, 2);
        m.visitMaxs(4, 5);
        m.visitEnd();
    }
    /** A subroutine in a subroutine; a slot that holds an int, a string, a long or a return address by where the call came from. */
    static void nested(ClassWriter w, int by) {
        MethodVisitor m = w.visitMethod(ACC_PUBLIC | ACC_STATIC | ACC_SYNCHRONIZED, "nested", "(I)I", null, null);
        Label one = new Label(), two = new Label(), three = new Label();
        m.visitCode();
        m.visitInsn(ICONST_0);
        m.visitVarInsn(ISTORE, 1);
        m.visitIntInsn(BIPUSH, 33);
        m.visitVarInsn(ISTORE, 4);
        m.visitJumpInsn(JSR, one);
        m.visitLdcInsn("four");
        m.visitVarInsn(ASTORE, 4);
        m.visitJumpInsn(JSR, one);
        m.visitLdcInsn(5L);
        m.visitVarInsn(LSTORE, 4);
        m.visitJumpInsn(JSR, one);
        m.visitInsn(ACONST_NULL);
        m.visitVarInsn(ASTORE, 4);
        m.visitJumpInsn(JSR, three);
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(IRETURN);
        m.visitLabel(one);
        m.visitVarInsn(ASTORE, 2);
        m.visitIincInsn(1, by);
        m.visitJumpInsn(JSR, two);
        m.visitMethodInsn(INVOKESTATIC, "JsrTools", "probe", "()V", false);
        m.visitVarInsn(RET, 2);
        m.visitLabel(two);
        m.visitVarInsn(ASTORE, 3);
        m.visitIincInsn(1, 10);
        m.visitMethodInsn(INVOKESTATIC, "JsrTools", "probe", "()V", false);
        m.visitVarInsn(RET, 3);
        m.visitLabel(three); // keeps its return address on the stack
        m.visitMethodInsn(INVOKESTATIC, "JsrTools", "probe", "()V", false);
        m.visitVarInsn(ASTORE, 4);
        m.visitMethodInsn(INVOKESTATIC, "JsrTools", "probe", "()V", false);
        m.visitVarInsn(RET, 4);
        m.visitMaxs(4, 6);
        m.visitEnd();
    }
    static byte[] made(String name, int version, int by) {
        ClassWriter w = new ClassWriter(0);
        w.visit(version, ACC_PUBLIC | ACC_SUPER, name, null, "java/lang/Object", null);
        simple(w, by);
        nested(w, by);
        return w.toByteArray();
    }
    /** The slots of which HotSpot knows as much: it does not tell ways into a subroutine apart. */
    static int slots(long location) {
        return switch ((int) location) {
            case 39 -> 0b00111; // nested: return addresses
            case 48 -> 0b01111;
            case 58 -> 0b10011;
            default -> 0b00011;
        };
    }
    static Class<?> define(String name, int version) throws Exception {
        byte[] file = made(name, version, 1);
        Class<?> c = new ClassLoader(JsrTools.class.getClassLoader()) {
            Class<?> get() { return defineClass(name, file, 0, file.length); }
        }.get();
        return Class.forName(name, true, c.getClassLoader());
    }
    static void run(Class<?> c, String method, int n) {
        Object said;
        try {
            said = c.getMethod(method, int.class).invoke(null, n);
        } catch (java.lang.reflect.InvocationTargetException e) {
            said = e.getCause();
        } catch (Exception e) {
            said = e;
        }
        System.out.println("  " + method + " " + n + " = " + said);
    }
    static final int[] SIMPLE = {0, 1, 2, 5, 8, 11, 13, 14, 15, 16, 19, 22, 23, 26, 29, 32, 33, 36, 39, 41, 42},
        NESTED = {0, 6, 9, 13, 21, 27, 30, 31, 32, 33, 36, 39, 42, 44, 48, 51, 53, 56, 58, 61};

    public static void main(String[] args) throws Exception {
        int[] n = {0};
        for (int version : new int[] {V1_1, V1_4, V1_5}) {
            Class<?> c = define("Made" + version, version);
            System.out.println("== version " + version);
            describe(c);
            inside = () -> System.out.println("    at " + location() + ":" + locals(slots(location())));
            for (String m : new String[] {"simple", "nested"})
                for (int arg : new int[] {2, 0})
                    run(c, m, arg);
        }
        Class<?> c = define("Made", V1_4);
        System.out.println("== locals set");
        for (int slot = 0; slot < 2; slot++)
            for (String m : new String[] {"simple", "nested"}) {
                int s = slot;
                n[0] = 0;
                inside = () -> {
                    if (n[0]++ == 1)
                        System.out.println("    set " + s + ": " + setInt(s, 50) + " " + setObject(s, "set"));
                };
                run(c, m, 3);
            }
        inside = () -> {
            for (int slot = 0; slot < 5; slot++)
                if ((slots(location()) >> slot & 1) != 0)
                    setSame(slot);
            System.gc();
        };
        run(c, "simple", 0);
        run(c, "nested", 0);
        System.out.println("== steps");
        inside = () -> { };
        for (String m : new String[] {"simple", "nested"}) {
            steps(c, m, true);
            run(c, m, 2);
            run(c, m, 0);
            steps(c, m, false);
        }
        System.out.println("== breakpoints");
        for (int what = 0; what < 6; what++) {
            for (int at : SIMPLE) {
                System.out.println("  " + what + " at " + at + ": " + stop(c, "simple", at, what, 1000 + what));
                run(c, "simple", 2);
                System.out.println("    cleared " + stop(c, "simple", at, -1, 0));
            }
            for (int at : NESTED) {
                System.out.println("  nested " + what + " at " + at + ": " + stop(c, "nested", at, what, 1000 + what));
                run(c, "nested", 2);
                System.out.println("    cleared " + stop(c, "nested", at, -1, 0) + " locked " + Thread.holdsLock(c));
            }
        }
        System.out.println("== redefined inside");
        for (int in = 0; in < 3; in++) {
            int k = in;
            n[0] = 0;
            inside = () -> {
                if (n[0]++ == k)
                    System.out.println("    redefine: " + redefine(c, made("Made", V1_4, 2 + k)));
                System.out.println("    at " + location() + ":" + locals(slots(location())));
            };
            run(c, "simple", 0);
            run(c, "nested", 1);
        }
        System.out.println("    other version: " + redefine(c, made("Made", V1_2, 1)) + " to 50 " + redefine(c, made("Made", V1_6, 1)));
        inside = () -> { };
        run(c, "simple", 0);
        System.out.println("== retransformed inside");
        for (int in = 0; in < 3; in++) {
            int k = in;
            n[0] = 0;
            inside = () -> {
                if (n[0]++ == k) {
                    increment = 20 + k;
                    System.out.println("    retransform: " + retransform(c));
                }
                System.out.println("    at " + location() + ":" + locals(slots(location())));
            };
            run(c, "simple", 0);
            run(c, "nested", 1);
        }
        describe(c);
        increment = 0;
        System.out.println("    back: " + retransform(c));
        run(c, "simple", 0);
    }
}
