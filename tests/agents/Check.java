// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jvmti: an agent that breaks each of its rules, and what it says of it.
// @agent ti_check
// @only pellucid
// @flags -Xcheck:jvmti
// @mask \+0x[0-9a-f]+
// @mask (?m)(^            .*\n)+
// @mask \(\d+ bytes\)
// @quick
public class Check {
    static native void calls();

    static native void threads();

    static native void heap();

    static native void collectWithJni();

    static native void references();

    static native void keptThread();

    static native void memory();

    static class Hooked1 { }
    static class Hooked2 { }

    static native void hook();

    static native long leak();

    static native void forget();

    static native void own();

    static native void monitors();

    static native void startEvents(boolean on);

    static native void tables();

    static void inThread(String name) throws Exception {
        System.out.println("-- " + name);
        Thread thread = new Thread(() -> { }, name);
        thread.setUncaughtExceptionHandler((t, e) -> System.out.println("uncaught " + e));
        thread.start();
        thread.join();
    }

    static long kept; // an address

    public static void main(String[] args) throws Exception {
        kept = leak();
        System.out.println("-- calls");
        calls();
        threads();
        heap();
        System.out.println("-- references and ids");
        references();
        startEvents(true);
        Thread keeper = new Thread(() -> keptThread(), "keeps");
        keeper.start();
        keeper.join();
        System.out.println("-- memory");
        memory();
        hook();
        new Hooked1();
        new Hooked2();
        forget();
        System.out.println("-- monitors");
        Thread owner = new Thread(() -> own(), "owner");
        owner.start();
        monitors();
        owner.join();
        inThread("enters");
        inThread("throws");
        inThread("pushes");
        inThread("critical");
        startEvents(false);
        System.out.println("-- tables");
        tables();
        System.out.println("-- the end");
    }
}
