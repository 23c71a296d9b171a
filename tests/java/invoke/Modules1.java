// SPDX-License-Identifier: Apache-2.0
// Modules by reflection: names, exports, opens given by flags, layers, encapsulation errors, services.
// @flags --add-opens java.base/java.util=ALL-UNNAMED --add-exports java.base/jdk.internal.misc=ALL-UNNAMED
// @quick
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.*;
import java.nio.file.spi.FileSystemProvider;
import java.util.*;

public class Modules1 extends Try {
    public static void main(String[] args) throws Throwable {
        Module base = Object.class.getModule();
        Module me = Modules1.class.getModule();
        System.out.println(base + " " + base.isNamed() + " " + me.isNamed() + me.getName() + " " + base.getDescriptor().isOpen() + " " + (me == Modules1.class.getClassLoader().getUnnamedModule()));
        System.out.println(base.isExported("java.lang") + " " + base.isExported("jdk.internal.misc") + " " + base.isExported("jdk.internal.misc", me) + " "
            + base.isOpen("java.util", me) + base.isOpen("java.lang", me) + base.isOpen("java.lang", base) + " " + me.canRead(base) + base.canRead(me));
        t("open", () -> {
            Field f = ArrayList.class.getDeclaredField("size");
            f.setAccessible(true);
            return f.get(new ArrayList<>(List.of(1, 2)));
        });
        t("closed", () -> {
            Field f = Thread.class.getDeclaredField("name");
            f.setAccessible(true);
            return f.get(Thread.currentThread());
        });
        t("noexport", () -> Class.forName("sun.security.provider.Sun").getDeclaredConstructor().newInstance());
        t("try", () -> Thread.class.getDeclaredField("name").trySetAccessible());
        t("unsafe", () -> Class.forName("jdk.internal.misc.Unsafe").getMethod("getUnsafe").invoke(null) != null);
        ModuleLayer boot = ModuleLayer.boot();
        t("layer", () -> boot.findModule("java.base").get() == base && boot.findModule("no.such").isEmpty() && boot.parents().contains(ModuleLayer.empty()));
        t("loader", () -> boot.findLoader("java.base") + " " + boot.findModule("java.sql").map(m -> m.getClassLoader().getName()));
        ModuleDescriptor d = base.getDescriptor();
        t("desc", () -> d.name() + d.requires() + d.packages().contains("java.lang") + d.uses().contains("java.nio.file.spi.FileSystemProvider") + d.mainClass());
        t("addReads", () -> me.addReads(base) == me);
        t("addExports", () -> base.addExports("java.lang", me));
        t("addOpens", () -> base.addOpens("sun.nio.ch", me));
        t("pkg", () -> base.getPackages().contains("sun.nio.fs") + " " + me.getPackages().contains("java.lang"));
        t("services", () -> {
            Set<String> s = new TreeSet<>();
            for (FileSystemProvider p : FileSystemProvider.installedProviders()) {
                s.add(p.getScheme());
            }
            return s;
        });
        t("sl", () -> {
            Set<String> s = new TreeSet<>();
            for (java.util.spi.ToolProvider p : ServiceLoader.load(java.util.spi.ToolProvider.class)) {
                s.add(p.name());
            }
            return s.contains("jar") + " " + s.contains("javac");
        });
        t("res", () -> base.getResourceAsStream("java/lang/Object.class").read() + " " + base.getResourceAsStream("no"));
        t("newlayer", () -> {
            var cf = boot.configuration().resolve(java.lang.module.ModuleFinder.of(), java.lang.module.ModuleFinder.of(), Set.of());
            return boot.defineModulesWithOneLoader(cf, null).modules();
        });
        t("illegal", () -> {
            Method m = Class.forName("java.lang.StringCoding").getDeclaredMethod("hasNegatives", byte[].class, int.class, int.class);
            return m.invoke(null, new byte[1], 0, 1);
        });
        t("proxyNonExported", () -> Proxy.newProxyInstance(null, new Class<?>[] {Class.forName("jdk.internal.misc.VM$BufferPool")}, (p, m, a) -> null).getClass().getModule().isNamed());
    }
}
