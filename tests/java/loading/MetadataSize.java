// SPDX-License-Identifier: Apache-2.0
// What class metadata take: of 3,000 classes of the class library, defined once more by a loader of our
// own from copies of their bytes, linked and some of them run; and that loading them runs no collection.
// HotSpot takes about 6,200 bytes for each, and their names besides.
// @flags -Xmx256m
// @only pellucid
// @timeout 120
// @stress 1000000000
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;

public class MetadataSize {
    static final int CLASSES = 3000, LIMIT = 9300; // 1.5 times

    static class Own extends ClassLoader {
        final Map<String, Path> files = new HashMap<>();
        int defined;

        Own() {
            super(ClassLoader.getPlatformClassLoader());
        }

        void add(FileSystem image, String module) throws Exception {
            Path root = image.getPath("/modules/" + module);
            try (Stream<Path> all = Files.walk(root)) {
                all.filter(p -> p.toString().endsWith(".class") && !p.toString().contains("-info.")).forEach(p -> {
                    String name = root.relativize(p).toString();
                    files.put(name.substring(0, name.length() - 6).replace('/', '.'), p);
                });
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> there = findLoadedClass(name);
                if (there != null || !files.containsKey(name)) {
                    return there != null ? there : super.loadClass(name, resolve);
                }
                try {
                    byte[] bytes = Files.readAllBytes(files.get(name));
                    Class<?> made = defineClass(name, bytes, 0, bytes.length);
                    defined++;
                    return made;
                } catch (java.io.IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }
    }

    static long metaspace() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().equals("Metaspace")) {
                return pool.getUsage().getUsed();
            }
        }
        throw new IllegalStateException();
    }

    static long fullCollections() {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (collector.getName().equals("MarkSweepCompact")) {
                return collector.getCollectionCount();
            }
        }
        throw new IllegalStateException();
    }

    static int loaded, linked;

    static void load(Own loader) {
        for (String name : new TreeSet<>(loader.files.keySet())) {
            if (loader.defined >= CLASSES) {
                return;
            }
            try {
                Class<?> c = Class.forName(name, loaded % 8 == 0, loader);
                loaded++;
                c.getDeclaredMethods(); // links it
                linked++;
            } catch (Throwable t) {
                // of a package that another module does not export
            }
        }
    }

    public static void main(String[] args) throws Exception {
        FileSystem image = FileSystems.getFileSystem(URI.create("jrt:/"));
        Own loader = new Own();
        loader.add(image, "java.xml");
        loader.add(image, "jdk.compiler");
        long before = metaspace(), collections = fullCollections();
        load(loader);
        System.out.println(linked > CLASSES / 2 ? "linked" : "linked only " + linked + " of " + loader.defined);
        System.out.println("full collections: " + (fullCollections() - collections));
        System.gc(); // frees what failed
        long each = (metaspace() - before) / loader.defined;
        System.out.println(each < LIMIT ? "small" : each + " bytes a class");
    }
}
