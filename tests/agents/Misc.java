// SPDX-License-Identifier: Apache-2.0
// System properties, storage, memory, timers, raw monitors, capabilities, JNI interception, modules, additions to the class path.
// @agent ti_misc
// @flags -Dmisc.given=as-given
// @quick
import java.io.File;
import java.io.FileOutputStream;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;

public class Misc {
    static native void run();

    static native void modules(Module own, Module base, ClassLoader loader, Class<?> service, Class<?> provider);

    static native void append(String path);

    static void readable(String name) {
        Module base = Object.class.getModule(), own = Misc.class.getModule();
        System.out.println(name + ": reads " + base.canRead(own) + " exported " + base.isExported("jdk.internal.misc", own) + " open "
                           + base.isOpen("java.util", own) + " uses " + base.canUse(Misc.class));
    }

    public static void main(String[] args) throws Exception {
        System.out.println(System.getProperty("misc.given") + " " + System.getProperty("misc.new"));
        run();
        Module base = Object.class.getModule(), own = Misc.class.getModule();
        readable("before");
        modules(own, base, Misc.class.getClassLoader(), Misc.class, Misc.class);
        readable("after");
        File jar = File.createTempFile("misc", ".jar");
        try (JarOutputStream out = new JarOutputStream(new FileOutputStream(jar))) {
            out.putNextEntry(new ZipEntry("misc.txt"));
            out.write("text".getBytes());
        }
        append(jar.getPath());
        System.out.println("resource " + (ClassLoader.getSystemResource("misc.txt") != null));
        jar.delete();
    }
}
