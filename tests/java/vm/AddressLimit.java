// SPDX-License-Identifier: Apache-2.0
// A VM that the limit of the address space (ulimit -v) leaves no room says so in one line and ends with 1; with some room it takes a
// smaller heap by itself.
// @not asan the sanitizer needs more addresses than the limits leave
import java.nio.charset.StandardCharsets;

public class AddressLimit {
    static void version(long kilobytes, String option) throws Exception {
        String command = "ulimit -v " + kilobytes + "; exec \"$0\" " + option + " -version 2>&1";
        Process p = new ProcessBuilder("sh", "-c", command, System.getProperty("java.home") + "/bin/java").start();
        String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = p.waitFor();
        System.out.println(option + " " + code + (code == 0 ? "" : ": " + out.lines().skip(1).findFirst().get()));
    }

    public static void main(String[] args) throws Exception {
        version(1000000, "-Xmx64m");
        version(6000000, "-Xmx64m");
        version(6000000, "-Xint");
    }
}
