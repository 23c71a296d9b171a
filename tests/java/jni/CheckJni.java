// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jni: each misuse in a VM of its own. Compared are what it says on stdout, and how it ends.
// @native checkjni
// @timeout 240
// @mask 0x[0-9a-f]{16}
// @jdk 17.0.19
import java.io.File;
import java.util.*;
import java.util.concurrent.*;

public class CheckJni extends CheckJniBase {
    int f;
    static int sf;

    int m(int x) {
        return x;
    }

    static int sm() {
        return 1;
    }

    static void thrower() {
        throw new RuntimeException("thrown");
    }

    static native String[] names();
    static native void run(int i, Object o, int[] ints, String text);

    static String inOtherVm(int i, String name, String core) throws Exception {
        List<String> command = List.of(System.getenv("TEST_JAVA_HOME") + "/bin/java", "-Xcheck:jni", "-XX:" + core + "CreateCoredumpOnCrash",
            "-Djava.library.path=" + System.getProperty("java.library.path"), "-cp", System.getProperty("java.class.path"), "CheckJni", "" + i);
        Process p = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        StringBuilder said = new StringBuilder(name + "\n");
        for (String line : new String(p.getInputStream().readAllBytes()).split("\n")) {
            // Frames of C: each VM says them in its own words.
            if (line.contains("fatal_thread_start")) {
                said.append("  in fatal_thread_start\n");
            }
            // What HotSpot adds of its own guards, which are built in another way.
            if (!line.matches("(Native frames:|[CV] ).*|") && !line.startsWith("GuardedMemory(") && !line.startsWith("  ")) {
                said.append("  ").append(line).append("\n");
            }
        }
        return said.append("  status ").append(p.waitFor()).toString();
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("checkjni");
        if (args.length > 0) {
            run(Integer.parseInt(args[0]), new CheckJni(), new int[8], "text");
            names();
            System.out.println("went on");
            return;
        }
        ExecutorService two = Executors.newFixedThreadPool(2);
        List<Future<String>> all = new ArrayList<>();
        String[] names = names();
        for (int i = 0; i < names.length; i++) {
            int n = i;
            all.add(two.submit(() -> inOtherVm(n, names[n], "+")));
            if (names[n].equals("fatal") || names[n].equals("not_class")) {
                all.add(two.submit(() -> inOtherVm(n, names[n] + ", no core dump", "-")));
            }
        }
        for (Future<String> one : all) {
            System.out.println(one.get());
        }
        two.shutdown();
        // What has been told in full is no crash.
        String[] reports = new File(".").list((folder, name) -> name.contains("_err_pid"));
        System.out.println("crash reports: " + Arrays.toString(reports));
    }
}

class CheckJniBase {
    int inherited;
}
