// SPDX-License-Identifier: Apache-2.0
// Native threads that attach, call up while collections run, and detach; daemons left behind do not keep the VM.
// @native jnithreads
// @quick
import java.util.*;
import java.util.concurrent.atomic.*;

public class JniThreads {
    static native int run(int n, ThreadGroup g, boolean daemon);
    static native void leaveDaemon();
    static native void pendingAtDetach();
    static native void blockNative();

    static native void releaseNative();
    static final Set<String> names = Collections.synchronizedSet(new TreeSet<>());
    static final Set<String> groups = Collections.synchronizedSet(new TreeSet<>());
    static final AtomicInteger calls = new AtomicInteger();
    static volatile boolean blocked;

    static int fromNative(int id, String s) {
        Thread t = Thread.currentThread();
        names.add(t.getName().startsWith("native-") ? t.getName() : "other");
        groups.add(t.getThreadGroup().getName() + t.isDaemon() + t.isAlive() + (t.getContextClassLoader() == JniThreads.class.getClassLoader()));
        int n = calls.incrementAndGet();
        byte[] junk = new byte[1000];
        if (n % 97 == 0) {
            System.gc();
        }
        if (id == 3) {
            throw new IllegalStateException("to native");
        }
        synchronized (JniThreads.class) {
            return s.length() + junk.length - 1000;
        }
    }
    static void blockForever() {
        blocked = true;
        try {
            Thread.sleep(1000000);
        } catch (InterruptedException e) {
            throw new Error(e);
        }
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("jnithreads");
        System.out.println(run(6, null, false) + " " + names + " " + groups);
        groups.clear();
        System.out.println(run(2, new ThreadGroup("G"), true) + " " + groups + " " + calls);
        Thread.setDefaultUncaughtExceptionHandler((t, e) -> System.out.println("uncaught " + t.getName() + " " + e));
        pendingAtDetach();
        Thread b = new Thread(JniThreads::blockNative);
        b.start();
        System.gc();
        System.out.println("gc beside a thread in native " + b.isAlive());
        releaseNative();
        b.join();
        leaveDaemon();
        while (!blocked) {
            Thread.sleep(1);
        }
        System.out.println("end");
    }
}
