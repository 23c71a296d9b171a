// SPDX-License-Identifier: Apache-2.0
// The crash report: each way to crash, in a VM of its own, ends with exit status 134 and one report on stderr and in a file.
// @native crashtest
// @only pellucid
// @timeout 120
// @not asan signals of faults are left to the sanitizer
import java.io.*;
import java.nio.file.*;
import java.util.*;

public class CrashReport {
    static native void readNull();
    static native void callNull();
    static native void divide();
    static native void abort();
    static native void overflow();
    static native void badReference();
    static native void unattached();

    static void crash(String how) throws Exception {
        switch (how) {
        case "readNull" -> readNull();
        case "callNull" -> callNull();
        case "divide" -> divide();
        case "abort" -> abort();
        case "overflow" -> overflow();
        case "badReference" -> badReference();
        case "unattached" -> unattached();
        case "unsafe" -> unsafe().getInt(8L);
        case "kill" -> {
            new ProcessBuilder("sh", "-c", "sleep 1; kill -SEGV " + ProcessHandle.current().pid()).start();
            Thread.sleep(60_000);
        }
        case "everyone" -> {
            for (int i = 0; i < 8; i++) {
                new Thread(CrashReport::readNullLater).start();
            }
            Thread.sleep(60_000);
        }
        }
    }

    static void readNullLater() {
        try {
            Thread.sleep(500);
        } catch (InterruptedException e) {
            return;
        }
        readNull();
    }

    static sun.misc.Unsafe unsafe() throws Exception {
        var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return (sun.misc.Unsafe) field.get(null);
    }

    // Where native methods are called by generated code, the stack shows it, and what called it.
    static final String STUB = System.getProperty("os.arch").equals("amd64") ? " native call static()V+0x" : "(libjvm.so+0x";

    static int count(String text, String part) {
        return (text.length() - text.replace(part, "").length()) / part.length();
    }

    // Prints which of the lines that a report must have are there.
    static void run(String how, String signal, String... parts) throws Exception {
        Process p = new ProcessBuilder(System.getenv("TEST_JAVA_HOME") + "/bin/java", "-Djava.library.path=" + System.getProperty("java.library.path"),
            "-Xmx32m", "-cp", System.getProperty("java.class.path"), "CrashReport", how).redirectOutput(ProcessBuilder.Redirect.INHERIT).start();
        String err = new String(p.getErrorStream().readAllBytes());
        System.out.println(how + ": status " + p.waitFor() + ", reports " + count(err, " ends after a fatal error in process " + p.pid()));
        Path log = Path.of("pellucid_err_pid" + p.pid() + ".log");
        String file = Files.exists(log) ? Files.readString(log) : "";
        if (!err.contains(file.substring(0, Math.max(0, file.indexOf("\n---- Memory map"))))) {
            System.out.println("  the file has another report");
        }
        List<String> wanted = new ArrayList<>(List.of(parts));
        wanted.addAll(List.of("# " + signal + " (signal", "---- Registers", "---- Native stack", "---- All threads", "\"Finalizer\" ",
            "Java home: " + System.getenv("TEST_JAVA_HOME"), "VM options: -Djava", "-Xmx32m", "CrashReport " + how, "maximum 32768 KB", "Tenured Gen", "---- Events", "Classes loaded (20 events)", " Loaded class "));
        boolean good = true;
        for (String part : wanted) {
            if (!err.contains(part)) {
                System.out.println("  not there: " + part);
                good = false;
            }
        }
        int cut = err.indexOf("cut short");
        if (cut >= 0) {
            System.out.println("  cut short after: " + err.substring(Math.max(0, cut - 200), cut));
            good = false;
        }
        if (!file.contains("libjvm.so\n")) {
            System.out.println("  the memory map is incomplete: " + file.length() + " characters in the file");
            good = false;
        }
        if (!good) {
            System.out.println(err);
        }
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("crashtest");
        if (args.length > 0) {
            crash(args[0]);
            return;
        }
        String java = "at CrashReport.crash(CrashReport.java:", main = "# in thread \"main\" ";
        run("readNull", "SIGSEGV", "access at address 0x0000000000000000", " Java_CrashReport_readNull+0x", STUB, " interp_run+0x", main, java,
            "at CrashReport.readNull(Native Method)");
        run("callNull", "SIGSEGV", "# at 0x0000000000000000", " Java_CrashReport_callNull+0x", STUB, main, java);
        run("divide", "SIGFPE", " Java_CrashReport_divide+0x", main, java);
        run("abort", "SIGABRT", " abort+0x", " Java_CrashReport_abort+0x", main, java);
        run("overflow", "SIGSEGV", "(signal 11, code 2)", "# The C stack of the thread has overflowed.", " recurse", main, java);
        run("badReference", "SIGSEGV", " Java_CrashReport_badReference+0x", "(libjvm.so+0x", main, java);
        run("unattached", "SIGABRT", " fail+0x", "is not attached", "at CrashReport.unattached(Native Method)");
        run("unsafe", "SIGSEGV", "access at address 0x0000000000000008", "(libjvm.so+0x", main, java);
        run("kill", "SIGSEGV", ", sent by process ", java);
        run("everyone", "SIGSEGV", " Java_CrashReport_readNull+0x", "# in thread \"Thread-", "at CrashReport.readNull(Native Method)");
    }
}
