// SPDX-License-Identifier: Apache-2.0
// Signal handlers of a program beside the VM's: with libjsig, and what Java makes of signals then.
// @native sigtest
// @modes asan
// @timeout 120
import java.io.File;
import java.util.List;
import java.util.ArrayList;

public class SignalChain {
    static final int SEGV = 11, PIPE = 13, USR1 = 10;
    static native int install(int sig, boolean simple);
    static native int fault();
    static native int raise(int sig);

    static void child(String... flags) throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java",
            "-Djava.library.path=" + System.getProperty("java.library.path"), "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(flags));
        command.addAll(List.of("SignalChain", "child"));
        if (List.of(flags).contains("-Xrs"))
            command.add("reduced");
        ProcessBuilder b = new ProcessBuilder(command).redirectErrorStream(true);
        String jsig = System.getProperty("java.home") + "/lib/libjsig.so";
        b.environment().merge("LD_PRELOAD", jsig, (others, ours) -> others + ":" + ours); // a sanitizer wants to be first
        System.out.println("with libjsig " + String.join(" ", flags));
        Process p = b.start();
        p.getInputStream().transferTo(System.out);
        System.out.println("exit code " + p.waitFor());
    }
    static void nullPointers() {
        int caught = 0;
        for (int i = 0; i < 1000; i++)
            try {
                Object o = i % 2 == 0 ? null : "";
                caught += o.hashCode();
            } catch (NullPointerException e) {
                caught++;
            }
        System.out.println("null pointers " + caught);
    }
    static void run(boolean reduced) throws Exception {
        System.loadLibrary("sigtest");
        System.out.println("SIGPIPE ignored: " + raise(PIPE));
        System.out.println("was " + install(USR1, false) + ", " + raise(USR1));
        System.out.println("was " + (install(SEGV, false) == 2 ? "a handler" : "none"));
        System.out.println("faults " + fault() + " " + fault());
        nullPointers();
        System.out.println("was " + (install(SEGV, true) == 1 ? "ignored" : "something"));
        install(SEGV, false);
        System.out.println("faults " + fault());
        install(PIPE, true);
        System.out.println("pipe " + raise(PIPE));
        if (reduced)
            return; // nobody dispatches signals to Java
        sun.misc.Signal winch = new sun.misc.Signal("WINCH"); // not HUP: nohup has that ignored
        Object lock = new Object();
        boolean[] got = new boolean[1];
        sun.misc.Signal.handle(winch, s -> {
            synchronized (lock) {
                got[0] = true;
                lock.notify();
            }
        });
        sun.misc.Signal.raise(winch);
        synchronized (lock) {
            while (!got[0])
                lock.wait();
        }
        System.out.println("Java got SIGWINCH");
        System.gc();
        System.out.println("done");
    }
    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            run(args.length > 1);
            return;
        }
        child();
        child("-XX:+AllowUserSignalHandlers");
        child("-Xrs");
        Process p = new ProcessBuilder("sh", "-c", "kill -PIPE $$; echo pipes are ignored").start(); // not inherited
        p.getInputStream().transferTo(System.out);
        System.out.println("exit code " + p.waitFor());
    }
}
