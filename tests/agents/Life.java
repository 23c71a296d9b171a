// SPDX-License-Identifier: Apache-2.0
// The life of the VM, of threads and of classes as events, in order; a class file changed on its way.
// @agent ti_life=some,options
// @quick
public class Life {
    static native int bound();

    interface Shape {
        default int area() {
            return 0;
        }
    }

    static class Base implements Shape {
        static int count = start("Base");
    }

    static class Derived extends Base {
        static int more = start("Derived");
    }

    static class Changed {
        static String text() {
            return "before";
        }
    }

    static class Broken {
        static int zero = 0;
        static int value = 1 / zero;
    }

    static int start(String what) {
        System.out.println("initializing " + what);
        return 1;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("main begins");
        Class<?> c = Class.forName("Life$Derived", false, Life.class.getClassLoader());
        System.out.println("loaded " + c.getName());
        new Derived();
        System.out.println(Changed.text());
        try {
            System.out.println(Broken.value);
        } catch (ExceptionInInitializerError e) {
            System.out.println(e.getCause());
        }
        System.out.println("bound " + bound());
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(() -> System.out.println("in " + Thread.currentThread().getName()), "worker" + i);
            t.start();
            t.join();
        }
        System.gc();
        System.out.println("main ends");
    }
}
