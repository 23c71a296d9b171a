// SPDX-License-Identifier: Apache-2.0
// A loader that is asked for a class on the thread that is in its loadClass for it: one that is parallel capable is called again, of
// another one that is a circle.
// @quick
public class LoadWithin {
    static class Wanted {
    }

    static int depth;

    // What both loaders do when they are asked for it.
    static void ask(ClassLoader loader) {
        System.out.println("asked, depth " + depth);
        if (depth++ < 2) {
            try {
                System.out.println(Class.forName("LoadWithin$Wanted", false, loader));
            } catch (ClassNotFoundException | LinkageError e) {
                System.out.println(e);
            }
        }
        depth--;
    }

    static class Serial extends ClassLoader {
        Serial() {
            super(LoadWithin.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("LoadWithin$Wanted"))
                ask(this);
            return super.loadClass(name, resolve);
        }
    }

    static class Parallel extends ClassLoader {
        static {
            registerAsParallelCapable();
        }

        Parallel() {
            super(LoadWithin.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("LoadWithin$Wanted"))
                ask(this);
            return super.loadClass(name, resolve);
        }
    }

    public static void main(String[] args) throws ClassNotFoundException {
        for (ClassLoader loader : new ClassLoader[] {new Serial(), new Parallel()})
            System.out.println(loader.getClass().getSimpleName() + ": " + Class.forName("LoadWithin$Wanted", false, loader));
    }
}
