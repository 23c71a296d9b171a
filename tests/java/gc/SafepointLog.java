// SPDX-License-Identifier: Apache-2.0
// -Xlog:safepoint has a line for each stop of the world, as its readers expect it; the names of operations are the VM's own.
import java.util.regex.*;

public class SafepointLog {
    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            System.gc();
            return;
        }
        Process p = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-XX:+UseSerialGC", "-Xlog:safepoint:stdout:tags", "-cp",
            System.getProperty("java.class.path"), "SafepointLog", "collect").start();
        Pattern line = Pattern.compile("\\[safepoint\\] Safepoint \"\\w+\", Time since last: \\d+ ns, Reaching safepoint: (\\d+) ns, "
            + "Cleanup: (\\d+) ns, At safepoint: (\\d+) ns, Total: (\\d+) ns");
        int stops = 0, wrong = 0;
        for (String said : new String(p.getInputStream().readAllBytes()).split("\n")) {
            Matcher m = line.matcher(said);
            if (!m.matches() || Long.parseLong(m.group(1)) + Long.parseLong(m.group(2)) + Long.parseLong(m.group(3)) != Long.parseLong(m.group(4))) {
                System.out.println(said);
                wrong++;
            }
            stops++;
        }
        System.out.println("stops " + (stops > 0) + ", wrong " + wrong + ", status " + p.waitFor());
    }
}
