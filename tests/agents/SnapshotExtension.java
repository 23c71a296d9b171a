// SPDX-License-Identifier: Apache-2.0
// The extension functions SnapshotHeap and VisitSnapshot: files of all packings, pipes, what ends them, tags as they were, nothing left behind.
// @agent ti_snapshot
// @only pellucid
// @quick
// @not asan the new process allocates, and the sanitizer's locks may be held when it is made; the C library's allocator gives its own back
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

public class SnapshotExtension {
    static native String toFile(String path, int packing, int level, boolean overwrite);
    static native String toPipe(long most);
    static native void tag(Object o, long tag);
    static native long tagOf(Object o);
    static native String visit(int how);
    static native String wrong();
    static native String critical(int[] array, String path);

    static class Marked {
        int value;
    }
    static final List<Marked> marked = new ArrayList<>();

    static int descriptors() {
        return new File("/proc/self/fd").list().length;
    }
    static String head(Path file) throws Exception {
        byte[] b = Files.readAllBytes(file);
        return b[0] == 0x1f && b[1] == (byte) 0x8b ? "gzip" : b[0] == 0x28 && b[1] == (byte) 0xb5 ? "zstd" : new String(b, 0, 18);
    }

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("snapshot");
        for (int i = 0; i < 300; i++) {
            marked.add(new Marked());
            tag(marked.get(i), 1000 + i);
        }
        String[] names = {"plain", "gzip", "zstd"};
        for (int p = 0; p < 3; p++) {
            Path file = folder.resolve(names[p]);
            System.out.println(names[p] + ": " + toFile(file.toString(), p, 0, false) + " " + head(file));
        }
        System.out.println("there already: " + toFile(folder.resolve("plain").toString(), 0, 0, false));
        System.out.println("overwritten: " + toFile(folder.resolve("plain").toString(), 0, 0, true));
        System.out.println("no folder: " + toFile(folder.resolve("none/plain").toString(), 0, 0, true));
        System.out.println("full: " + toFile("/dev/full", 0, 0, true));
        System.out.println("pipe: " + toPipe(Long.MAX_VALUE));
        System.out.println("reader leaves: " + toPipe(100_000));
        System.out.println("critical section: " + critical(new int[10], folder.resolve("critical").toString()));
        System.out.println("wrong: " + wrong());
        System.out.println("walk: " + visit(0));
        System.out.println("tags: " + tagOf(marked.get(0)) + " " + tagOf(marked.get(299)));
        System.out.println("signal: " + visit(1));
        System.out.println("descriptor: " + visit(2));
        AtomicBoolean end = new AtomicBoolean();
        Thread busy = new Thread(() -> { // allocates, collects and changes what is walked
            List<Object> some = new ArrayList<>();
            for (int i = 0; !end.get(); i++) {
                some.add(new int[100]);
                marked.get(i % 300).value++;
                if (i % 5000 == 0) {
                    some.clear();
                    System.gc();
                }
            }
        });
        busy.start();
        int before = descriptors(), wrong = 0;
        for (int i = 0; i < 30; i++)
            wrong += (toFile(folder.resolve("many").toString(), i % 3, 1, true).equals("0, written") ? 0 : 1)
                + (visit(0).equals("0, value 342, tagged 300, sum 344850, walked") ? 0 : 1);
        end.set(true);
        busy.join();
        System.out.println("many: wrong " + wrong + ", descriptors " + (descriptors() - before) + ", children " + ProcessHandle.current().children().count());
        for (File f : folder.toFile().listFiles())
            f.delete();
        Files.delete(folder);
    }
}
