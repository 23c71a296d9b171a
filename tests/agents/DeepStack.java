// SPDX-License-Identifier: Apache-2.0
// The roots of a stack of 200,000 frames: FollowReferences and a heap dump take time in proportion to it (walking the stack again
// for each of its slots takes minutes).
// @agent ti_deep_stack
// @flags -Xint
// @timeout 100
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.*;

public class DeepStack {
    static final int FRAMES = 200_000;

    static native void tag(Object o, long tag);
    static native void roots(); // prints those that are locals of frames and refer to what is tagged

    static void atBottom() throws Exception {
        roots();
        Path file = Files.createTempFile("deep", ".hprof");
        Files.delete(file);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file.toString(), false);
        System.out.println("dumped " + (Files.size(file) > FRAMES * 17L * 4));
        Files.delete(file);
    }

    static int down(int n, Object a, Object b) throws Exception {
        Object c = n % 2 == 0 ? a : b;
        if (n == 0)
            atBottom();
        else
            down(n - 1, b, a);
        return c.hashCode() + a.hashCode() + b.hashCode();
    }

    public static void main(String[] args) throws Exception {
        Object a = new Object(), b = new Object();
        tag(a, 1);
        tag(b, 2);
        Thread t = new Thread(null, () -> {
            try {
                down(FRAMES, a, b);
            } catch (Exception e) {
                System.out.println(e);
            }
        }, "deep", 1 << 30);
        t.start();
        t.join();
    }
}
