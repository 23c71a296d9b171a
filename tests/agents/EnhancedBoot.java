// SPDX-License-Identifier: Apache-2.0
// -XX:+AllowEnhancedClassRedefinition: classes of the boot loader change, too, but for those that the VM knows: these are refused as with the flag off.
// @agent ti_redefine
// @only pellucid
// @javac --add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
// @flags -XX:+AllowEnhancedClassRedefinition --add-exports=java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
// @quick
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import static jdk.internal.org.objectweb.asm.Opcodes.*;

class Redefiner { // of the natives of the agent that one alone: this file is compiled by itself
    static native int redefine(Class<?>[] classes, byte[][] files);
}

public class EnhancedBoot extends Redefiner {
    // c with a field `extra` and a method that counts it up and gives it.
    static int extend(Class<?> c) throws Exception {
        String name = c.getName().replace('.', '/');
        ClassReader r = new ClassReader(c.getResourceAsStream("/" + name + ".class"));
        ClassWriter w = new ClassWriter(r, 0);
        r.accept(new ClassVisitor(ASM8, w) {
            @Override
            public void visitEnd() {
                visitField(ACC_PUBLIC, "extra", "J", null, null).visitEnd();
                MethodVisitor m = visitMethod(ACC_PUBLIC, "bump", "()J", null, null);
                m.visitCode();
                m.visitVarInsn(ALOAD, 0);
                m.visitInsn(DUP);
                m.visitFieldInsn(GETFIELD, name, "extra", "J");
                m.visitInsn(LCONST_1);
                m.visitInsn(LADD);
                m.visitInsn(DUP2_X1);
                m.visitFieldInsn(PUTFIELD, name, "extra", "J");
                m.visitInsn(LRETURN);
                m.visitMaxs(5, 1);
                m.visitEnd();
                super.visitEnd();
            }
        }, 0);
        return redefine(new Class<?>[] {c}, new byte[][] {w.toByteArray()});
    }
    static long bump(Object o) throws Exception { return (long) o.getClass().getMethod("bump").invoke(o); }

    public static void main(String[] args) throws Exception {
        StringJoiner[] joiners = new StringJoiner[2000];
        for (int i = 0; i < joiners.length; i++)
            joiners[i] = new StringJoiner(",", "<", ">").add("a" + i);
        ConcurrentHashMap<String, Integer> map = new ConcurrentHashMap<>();
        for (int i = 0; i < 2000; i++)
            map.put("k" + i, i);
        System.out.println(extend(StringJoiner.class) + " " + extend(ConcurrentHashMap.class));
        boolean same = true;
        for (int i = 0; i < joiners.length; i++)
            same &= joiners[i].add("b").toString().equals("<a" + i + ",b>") && bump(joiners[i]) == 1 && bump(joiners[i]) == 2;
        for (int i = 0; i < 4000; i++)
            map.merge("k" + i, 1, Integer::sum);
        System.gc();
        System.out.println(same + " " + map.size() + " " + map.get("k7") + " " + map.get("k3000") + " " + bump(map) + " " + bump(new StringJoiner("")));
        System.out.println(extend(String.class) + " " + extend(Thread.class) + " " + extend(Class.class));
    }
}
