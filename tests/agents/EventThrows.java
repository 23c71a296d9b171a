// SPDX-License-Identifier: Apache-2.0
// An exception that a callback leaves pending: of ClassLoad and ClassPrepare it is thrown where the class is loaded or linked, which
// is done all the same; of NativeMethodBind in place of the call; of ThreadStart in place of the thread's run(), or
// pending when AttachCurrentThread returns.
// @agent ti_event_throws
// @quick
// @mask 0x[0-9a-f]+
import java.lang.invoke.MethodHandles;

public class EventThrows {
    static native void expect(int event, Class<?> thrown);
    static native Class<?> find(String name);
    static native int nativeVictim();
    static native void attach();

    static final int THREAD_START = 52, CLASS_LOAD = 55, CLASS_PREPARE = 56, NATIVE_METHOD_BIND = 67;

    interface Step {
        Object run() throws Throwable;
    }

    static class Victim0 { static int x = 1; }
    static class Victim1 { }
    static class Victim2 extends Victim1 { }
    interface Victim3 {
        int X = Integer.parseInt("3");
        default void method() { }
    }
    static class Victim4 implements Victim3 { }
    static class Victim5 {
        static { System.out.println("    initialized"); }
        static void method() { }
    }
    static class Victim6 { }
    static class Victim7 { }
    static class Victim8 { }
    static class VictimLoaded { }
    static class Victim9 { Victim8 method(Victim8 a) { return a; } }

    static class Own extends ClassLoader {
        Own() {
            super(EventThrows.class.getClassLoader());
        }
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.contains("Victim"))
                return super.loadClass(name, resolve);
            Class<?> c = findLoadedClass(name);
            if (c != null)
                return c;
            byte[] file = file(name);
            return defineClass(name, file, 0, file.length);
        }
    }

    static byte[] file(String name) {
        try (java.io.InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
            return in.readAllBytes();
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static void attempt(String what, Step step) {
        System.out.println(what);
        for (int i = 0; i < 2; i++) {
            try {
                System.out.println("    " + step.run());
            } catch (Throwable t) {
                System.out.println("    " + t + " at " + t.getStackTrace()[0]);
            }
        }
    }

    static void classes() {
        Own loader = new Own();
        attempt("by name", () -> Class.forName("EventThrows$Victim0", false, EventThrows.class.getClassLoader()));
        attempt("initialized", () -> Victim0.x);
        attempt("created", () -> new Victim2() != null);
        attempt("an interface", () -> new Victim4() != null);
        attempt("called", () -> { Victim5.method(); return "fine"; });
        attempt("by JNI", () -> find("EventThrows$Victim6"));
        attempt("array", () -> new Victim7[1].length);
        attempt("reflected", () -> Victim9.class.getDeclaredMethods().length);
        attempt("of a loader", () -> Class.forName("EventThrows$Victim2", true, loader));
        attempt("hidden", () -> MethodHandles.lookup().defineHiddenClass(file("EventThrows$Victim1"), true) != null);
    }

    public static void main(String[] args) throws Exception {
        expect(CLASS_PREPARE, IllegalStateException.class);
        classes();
        expect(NATIVE_METHOD_BIND, IllegalStateException.class);
        attempt("native", () -> nativeVictim());
        expect(THREAD_START, IllegalStateException.class);
        Thread t = new Thread(() -> System.out.println("    runs"), "Victim");
        t.setUncaughtExceptionHandler((in, e) -> System.out.println("    uncaught " + e + " in " + in.getName()));
        t.start();
        t.join();
        attach();
        expect(0, IllegalStateException.class);
        System.gc();
        classes();
        expect(CLASS_LOAD, IllegalStateException.class); // HotSpot is not to be trusted after it
        attempt("loaded", () -> Class.forName("EventThrows$VictimLoaded"));
    }
}
