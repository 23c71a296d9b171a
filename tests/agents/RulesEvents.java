// SPDX-License-Identifier: Apache-2.0
// Rules of the sending of events, by number: phases, threads, handlers, disposal, what handlers may call.
// @agent ti_rules_events
// @quick
import java.io.IOException;
import java.io.InputStream;

public class RulesEvents {
    static native int bound();

    static native Class<?> watchPreparing(boolean on);

    static native void makeLeaving();

    static native void disposeMeanwhile();

    static native boolean leftWell();

    static native void collect();

    static native void transform();

    static native void redefine(Class<?> c, byte[] bytes);

    static class First {
        static int x = 1;
    }

    static class Second {
        static int x = 2;
    }

    static class Slow {
        static int x = 3;
    }

    static class Last {
        static int x = 4;
    }

    static class After {
        static int x = 5;
    }

    // Initializes First in a frame of whichever loader defined this class.
    public static class Inside implements Runnable {
        public void run() {
            First.x++;
        }
    }

    // Defines this program's nested classes again.
    static class Child extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("RulesEvents$"))
                return super.loadClass(name, resolve);
            Class<?> known = findLoadedClass(name);
            if (known != null)
                return known;
            try (InputStream in = RulesEvents.class.getResourceAsStream(name + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static void rule(String number, boolean holds) {
        System.out.println(number + (holds ? " ok" : " FAILS"));
    }

    static void handlers() throws Exception {
        Child loader = new Child();
        Runnable inside = (Runnable) loader.loadClass("RulesEvents$Inside").getConstructor().newInstance();
        Thread.currentThread().interrupt();
        watchPreparing(true);
        inside.run();
        Class<?> found = watchPreparing(false);
        rule("F14", Thread.interrupted() && found == loader.loadClass("RulesEvents$Second"));
    }

    static void disposal() throws Exception {
        makeLeaving();
        int sum = Last.x + After.x;
        rule("B10", leftWell() && sum == 9);
        makeLeaving();
        Thread slow = new Thread(() -> rule("B10 (initialized)", Slow.x == 3));
        slow.start();
        disposeMeanwhile();
        slow.join();
        rule("B10 (meanwhile)", leftWell());
    }

    static void modules() throws Exception {
        Module sql = ModuleLayer.boot().findModule("java.sql").get();
        Module unnamed = RulesEvents.class.getModule();
        boolean before = sql.canRead(unnamed);
        transform();
        Class.forName("java.sql.Types");
        rule("L26", !before && sql.canRead(unnamed));
    }

    public static void main(String[] args) throws Exception {
        rule("N2", bound() == 2);
        handlers();
        disposal();
        collect();
        modules();
        try (InputStream in = RulesEvents.class.getResourceAsStream("RulesEvents$Last.class")) {
            redefine(Last.class, in.readAllBytes());
        }
    }
}
