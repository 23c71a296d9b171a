// SPDX-License-Identifier: Apache-2.0
// Classes of loaders that come and go, redefined with frames in them: they are unloaded, old versions and all.
// @agent ti_redefine
// @quick
import java.lang.ref.WeakReference;

class GoneA {
    static String run(Runnable r) {
        r.run();
        return "old" + String.join("-", "a", "b");
    }
}
class GoneB {
    static String run(Runnable r) {
        r.run();
        int n = 1;
        return "new" + n;
    }
}

public class RedefineUnload extends Redefiner {
    static class Own extends ClassLoader {
        Own() {
            super(null);
        }

        Class<?> define(byte[] file) {
            return defineClass(null, file, 0, file.length);
        }
    }

    static WeakReference<ClassLoader> round(int i) throws Exception {
        Own loader = new Own();
        Class<?> c = loader.define(file("GoneA"));
        Runnable change = () -> {
            int error = redefine(c, replace(file(i % 2 == 0 ? "GoneB" : "GoneA"), "GoneB", "GoneA"));
            if (error != 0)
                System.out.println("error " + error);
        };
        var run = c.getDeclaredMethod("run", Runnable.class);
        run.setAccessible(true);
        String first = (String) run.invoke(null, change), second = (String) run.invoke(null, (Runnable) () -> retransform(c));
        if (i < 2)
            System.out.println(first + " " + second);
        return new WeakReference<>(loader);
    }

    public static void main(String[] args) throws Exception {
        WeakReference<?>[] loaders = new WeakReference<?>[30];
        for (int i = 0; i < loaders.length; i++)
            loaders[i] = round(i);
        for (int i = 0; i < 100 && gone(loaders) < 29; i++)
            System.gc();
        System.out.println(gone(loaders) >= 29);
        System.out.println(round(0).get() != null);
    }
}
