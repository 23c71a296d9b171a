// SPDX-License-Identifier: Apache-2.0
// System properties, streams, logging, preferences of the runtime, ServiceLoader, Runtime versions.
// @flags -Dmy.prop=v -Dempty= -Xmx64m
import java.io.*;
import java.util.*;
import java.util.logging.*;

public class SysMisc {
    public static void main(String[] args) throws Exception {
        System.out.println(System.getProperty("my.prop") + "|" + System.getProperty("empty") + "|" + System.getProperty("none") + "|" + System.getProperty("java.specification.version") + "|"
            + System.getProperty("file.separator") + System.getProperty("line.separator").length() + System.getProperty("os.name") + System.getProperty("os.arch")
            + System.getProperty("java.class.version") + System.getProperty("java.vm.specification.version") + System.getProperty("sun.arch.data.model") + Boolean.getBoolean("nope"));
        for (String k : "java.home java.version java.vendor java.vm.name java.vm.version java.vm.vendor java.vm.info user.dir user.name java.io.tmpdir java.library.path java.class.path sun.boot.library.path jdk.debug java.runtime.version file.encoding native.encoding".split(" ")) {
            System.out.print(k + (System.getProperty(k) != null) + " ");
        }
        System.out.println();
        System.out.println(Runtime.version().feature() + " " + (Runtime.getRuntime().availableProcessors() > 0) + " " + (Runtime.getRuntime().totalMemory() <= Runtime.getRuntime().maxMemory()) + " "
            + (Runtime.getRuntime().freeMemory() > 0) + " " + (Runtime.getRuntime().maxMemory() >> 20 <= 64) + " " + System.lineSeparator().length());
        long a = System.currentTimeMillis();
        long b = System.nanoTime();
        Thread.sleep(2);
        System.out.println((System.currentTimeMillis() >= a) + " " + (System.nanoTime() > b) + " " + (a > 1600000000000L));
        PrintStream old = System.out;
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bo));
        System.out.print("captured");
        System.setOut(old);
        System.out.println(bo);
        System.setIn(new ByteArrayInputStream("in put".getBytes()));
        System.out.println(new Scanner(System.in).next());
        Logger l = Logger.getLogger("t");
        l.setUseParentHandlers(false);
        l.addHandler(new Handler() {
            public void publish(LogRecord r) {
                System.out.println(r.getLevel() + " " + r.getMessage() + " " + r.getSourceMethodName() + " " + r.getSourceClassName());
            }
            public void flush() {}
            public void close() {}
        });
        l.setLevel(Level.FINE);
        l.info("info");
        l.fine(() -> "fine");
        l.finer("no");
        l.log(Level.WARNING, "p {0}", 5);
        System.Logger sl = System.getLogger("sys");
        System.out.println(sl.getName() + sl.isLoggable(System.Logger.Level.INFO));
        SecurityManager sm = System.getSecurityManager();
        System.out.println(sm);
        try {
            System.getProperty("");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        try {
            System.loadLibrary("no_such_library");
        } catch (UnsatisfiedLinkError e) {
            System.out.println(e.getMessage().replaceAll(": .*", ""));
        }
        try {
            System.load("relative.so");
        } catch (UnsatisfiedLinkError e) {
            System.out.println(e.getMessage());
        }
        System.out.println(System.mapLibraryName("x"));
        System.err.flush();
    }
}
