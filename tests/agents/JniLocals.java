// SPDX-License-Identifier: Apache-2.0
// Local references of native methods as roots: which frame holds them, how deep; what the VM itself holds is none, nor are the
// arguments of native methods.
// @agent ti_jni_locals
// @quick
public class JniLocals {
    // Makes an object with this tag, keeps a local reference to it, and calls between(tag).
    static native void keep(long tag);

    static native void tag(Object o, long tag);

    static native void roots(String where);

    static volatile boolean end;

    static class Given {
        static native void ofClass(Object o);

        native void ofObject(Object o);

        native void calls(Object o);

        static void called(Object o) {
            ofClass(o);
        }
    }

    static void arguments() {
        Given given = new Given();
        int[] argument = new int[1];
        tag(Given.class, 60);
        tag(given, 61);
        tag(argument, 62);
        Given.ofClass(argument);
        given.ofObject(argument);
        given.calls(argument);
    }

    static void between(long tag) {
        if (tag == 3)
            roots("in the innermost");
        else
            keep(tag + 1);
    }

    static void waits() {
        try {
            synchronized (JniLocals.class) {
                while (!end)
                    JniLocals.class.wait();
            }
        } catch (InterruptedException e) {
            System.out.println("interrupted");
        }
    }

    public static void main(String[] args) throws Exception {
        for (Class<?> known : new Class<?>[] {ArithmeticException.class, ThreadGroup.class, java.lang.reflect.Method.class})
            tag(known, 90); // the VM starts with them
        tag(Thread.currentThread(), 50);
        keep(1);
        roots("after all");
        Thread t = new Thread(JniLocals::waits, "waits");
        tag(t, 51);
        t.start();
        while (t.getState() != Thread.State.WAITING)
            Thread.sleep(1);
        roots("another thread waits");
        synchronized (JniLocals.class) {
            end = true;
            JniLocals.class.notifyAll();
        }
        t.join();
        arguments();
    }
}
