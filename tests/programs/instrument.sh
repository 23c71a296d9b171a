#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# java.lang.instrument by -javaagent: the whole of Instrumentation, its exceptions, what the manifest allows.
# @timeout 120
set -eu
mkdir -p wrapped boot
cat >Agent.java <<'TEXT'
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.IllegalClassFormatException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;

public class Agent {
    static Instrumentation inst;

    interface Step {
        void run() throws Throwable;
    }

    public static void premain(String options, Instrumentation i) {
        System.out.println("premain " + options);
        inst = i;
    }

    static void attempt(String what, Step step) {
        try {
            step.run();
            System.out.println(what + ": fine, " + Text.text());
        } catch (Throwable t) {
            System.out.println(what + ": " + t + ", " + Text.text());
        }
    }

    static byte[] replace(byte[] file, String from, String to) {
        byte[] a = from.getBytes(), b = to.getBytes(), out = file.clone();
        for (int i = 0; i + a.length <= out.length; i++)
            if (Arrays.equals(out, i, i + a.length, a, 0, a.length))
                System.arraycopy(b, 0, out, i, b.length);
        return out;
    }

    // Replaces a text in the class files of one class, and tells when it is asked.
    static class Replacer implements ClassFileTransformer {
        final String name, from, to;

        Replacer(String name, String from, String to) {
            this.name = name;
            this.from = from;
            this.to = to;
        }

        public byte[] transform(Module module, ClassLoader loader, String cls, Class<?> redefined, ProtectionDomain domain, byte[] file)
            throws IllegalClassFormatException {
            if (!name.equals(cls))
                return null;
            System.out.println("  " + from + " to " + to + " in " + cls + " " + redefined + " " + (domain != null) + " " + (loader != null));
            if (to.equals("format"))
                throw new IllegalClassFormatException("asked for");
            if (to.equals("error"))
                throw new IllegalStateException("asked for");
            return replace(file, from, to);
        }
    }

    static void transformers() throws Throwable {
        ClassFileTransformer first = new Replacer("Text", "text-0", "text-1"), capable = new Replacer("Text", "text-1", "text-2"),
                             second = new Replacer("Text", "text-2", "text-3"), format = new Replacer("Text", "text", "format"),
                             error = new Replacer("Text", "text", "error");
        inst.addTransformer(capable, true);
        inst.addTransformer(first);
        inst.addTransformer(second, true);
        attempt("load", () -> { });
        attempt("retransform", () -> inst.retransformClasses(Text.class));
        inst.addTransformer(format, true);
        inst.addTransformer(error, true);
        attempt("retransform", () -> inst.retransformClasses(Text.class));
        System.out.println(inst.removeTransformer(capable) + " " + inst.removeTransformer(capable) + " " + inst.removeTransformer(first)
                           + " " + inst.removeTransformer(format) + " " + inst.removeTransformer(error));
        attempt("one less", () -> inst.retransformClasses(Text.class));
        attempt("remove", () -> inst.removeTransformer(second));
        attempt("no transformer", () -> inst.retransformClasses(Text.class));
        attempt("null", () -> inst.addTransformer(null));
        attempt("null", () -> inst.addTransformer(null, true));
        attempt("null", () -> inst.removeTransformer(null));
    }

    static byte[] file(String name) throws Exception {
        return Files.readAllBytes(Path.of(name + ".class"));
    }

    static byte[] version(byte[] file, int version) {
        byte[] out = file.clone();
        out[7] = (byte) version;
        return out;
    }

    static void redefine(String what, Class<?> c, byte[] file) {
        attempt(what, () -> inst.redefineClasses(new ClassDefinition(c, file)));
    }

    static void errors() throws Throwable {
        byte[] good = file("Text"), zero = new byte[0];
        redefine("redefine", Text.class, replace(good, "text-0", "text-9"));
        redefine("version", Text.class, version(good, 99));
        redefine("format", Text.class, Arrays.copyOf(good, good.length - 20));
        redefine("empty", Text.class, zero);
        redefine("another", Text.class, file("Sized"));
        redefine("verify", Text.class, replace(good, "()Ljava/lang/String;", "()Ljava/lang/Thread;"));
        redefine("method", Text.class, replace(good, "another", "anotheR"));
        redefine("field", Text.class, replace(good, "field", "fielD"));
        redefine("super", Text.class, replace(good, "java/lang/Object", "java/lang/Number"));
        redefine("no super", Text.class, replace(good, "java/lang/Object", "java/lang/Objekt"));
        redefine("array", int[].class, good);
        redefine("primitive", int.class, good);
        attempt("null file", () -> new ClassDefinition(Text.class, null));
        attempt("null class", () -> new ClassDefinition(null, good));
        attempt("null list", () -> inst.redefineClasses((ClassDefinition[]) null));
        attempt("null in list", () -> inst.redefineClasses(new ClassDefinition(Text.class, good), null));
        attempt("empty list", () -> inst.redefineClasses());
        attempt("two", () -> inst.redefineClasses(new ClassDefinition(Text.class, good), new ClassDefinition(Sized.class, zero)));
        attempt("retransform null", () -> inst.retransformClasses((Class<?>) null));
        attempt("retransform none", () -> inst.retransformClasses());
        attempt("retransform array", () -> inst.retransformClasses(String[].class));
        attempt("retransform lambda", () -> inst.retransformClasses(((Step) () -> { }).getClass()));
        attempt("retransform boot", () -> inst.retransformClasses(String.class, Thread.class, Object.class, Class.class, List.class));
    }

    static void facts() throws Throwable {
        for (Class<?> c : new Class<?>[] {int.class, String[].class, Text.class, Object.class, Map.Entry.class})
            System.out.println(c + " " + inst.isModifiableClass(c));
        System.out.println(inst.getObjectSize(new Object()) + " " + inst.getObjectSize(new int[10]) + " " + inst.getObjectSize("text") + " "
                           + inst.getObjectSize(new Sized()));
        attempt("size of null", () -> inst.getObjectSize(null));
        System.out.println(Arrays.asList(inst.getAllLoadedClasses()).containsAll(List.of(Text.class, Object.class, Sized.class, int[].class)));
        ClassLoader app = Agent.class.getClassLoader();
        List<String> own = Arrays.stream(inst.getInitiatedClasses(app)).map(Class::getName).collect(Collectors.toList());
        System.out.println(own.contains("Agent") + " " + own.contains("Text") + " " + own.contains("java.lang.Object") + " "
                           + Arrays.asList(inst.getInitiatedClasses(null)).contains(Object.class));
        attempt("prefix", () -> inst.setNativeMethodPrefix(new Replacer("x", "", ""), "x_"));
    }

    static void modules() throws Throwable {
        Module base = Object.class.getModule(), mine = Agent.class.getModule(), sql = ModuleLayer.boot().findModule("java.logging").get();
        System.out.println(inst.isModifiableModule(base) + " " + inst.isModifiableModule(mine));
        inst.redefineModule(base, Set.of(sql), Map.of("jdk.internal.misc", Set.of(mine)), Map.of("java.util", Set.of(mine)), Set.of(Step.class), Map.of());
        System.out.println(base.canRead(sql) + " " + base.isExported("jdk.internal.misc", mine) + " " + base.isOpen("java.util", mine) + " "
                           + base.canUse(Step.class));
        attempt("no package", () -> inst.redefineModule(base, Set.of(), Map.of("no.such", Set.of(mine)), Map.of(), Set.of(), Map.of()));
        attempt("null module", () -> inst.redefineModule(null, Set.of(), Map.of(), Map.of(), Set.of(), Map.of()));
        attempt("modifiable null", () -> inst.isModifiableModule(null));
        attempt("modifiable null", () -> inst.isModifiableClass(null));
    }

    static void paths() throws Throwable {
        inst.appendToBootstrapClassLoaderSearch(new JarFile("boot.jar"));
        Class<?> c = Class.forName("boot.Hidden", true, null);
        System.out.println(c + " " + c.getClassLoader());
        inst.appendToSystemClassLoaderSearch(new JarFile("more.jar"));
        System.out.println(Class.forName("More").getClassLoader() == Agent.class.getClassLoader());
    }

    static void natives() throws Throwable {
        ClassFileTransformer wrapper = new ClassFileTransformer() {
            public byte[] transform(ClassLoader loader, String name, Class<?> c, ProtectionDomain domain, byte[] file) {
                try {
                    return "Native".equals(name) ? Files.readAllBytes(Path.of("wrapped/Native.class")) : null;
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        inst.addTransformer(wrapper, true);
        inst.setNativeMethodPrefix(wrapper, "wrapped_");
        System.out.println(Native.seven());
        inst.removeTransformer(wrapper);
    }

    public static void main(String[] args) throws Throwable {
        System.out.println(inst.isRedefineClassesSupported() + " " + inst.isRetransformClassesSupported() + " " + inst.isNativeMethodPrefixSupported());
        if (args.length > 0) {
            attempt("not asked for", () -> inst.retransformClasses(Text.class));
            attempt("not asked for", () -> inst.redefineClasses(new ClassDefinition(Text.class, file("Text"))));
            attempt("not asked for", () -> inst.addTransformer(new Replacer("Text", "", ""), true));
            attempt("not asked for", () -> inst.setNativeMethodPrefix(new Replacer("Text", "", ""), "a_"));
            return;
        }
        transformers();
        errors();
        facts();
        modules();
        paths();
        natives();
    }
}
class Text {
    static int field = 1;

    static String text() { return "text-0"; }

    static int another() { return field; }
}
class Sized {
    long a;
    byte b;
    Object c;
}
TEXT
cat >Native.java <<'TEXT'
class Native {
    static {
        System.load(System.getProperty("user.dir") + "/libnative.so");
    }

    static native int seven();
}
TEXT
cat >wrapped/Native.java <<'TEXT'
class Native {
    static {
        System.load(System.getProperty("user.dir") + "/libnative.so");
    }

    static int seven() {
        return 1000 + wrapped_seven();
    }

    static native int wrapped_seven();
}
TEXT
cat >native.c <<'TEXT'
int Java_Native_seven(void *env, void *cls);
int Java_Native_seven(void *env, void *cls)
{
    (void)env, (void)cls;
    return 7;
}
TEXT
mkdir -p more
echo 'package boot; public class Hidden { }' >boot/Hidden.java
echo 'public class More { }' >more/More.java
gcc -shared -fPIC -o libnative.so native.c
javac -g -d . Agent.java Native.java
javac -g -d wrapped wrapped/Native.java
javac -d bootout boot/Hidden.java
javac -d moreout more/More.java
jar --create --file boot.jar -C bootout .
jar --create --file more.jar -C moreout .
printf 'Premain-Class: Agent\n' >plain
printf 'Premain-Class: Agent\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\nCan-Set-Native-Method-Prefix: true\n' >able
jar --create --file plain.jar --manifest plain
jar --create --file able.jar --manifest able
java -javaagent:able.jar=some,options -cp . Agent 2>&1 | grep -v "warning: Sharing is only"
java -javaagent:plain.jar -cp . Agent little 2>&1
