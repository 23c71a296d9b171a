// SPDX-License-Identifier: Apache-2.0
// Classes are defined by a loader, linked, initialized, reflected on, unloaded; call sites are linked; the heap grows and shrinks;
// monitors are inflated. What fails is said by its class and message, and the next part is tried.
// @flags -Xms8m -Xmx64m
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

public class Classes {
    interface Part {
        Object run() throws Throwable;
    }

    static class Defined {
        static int count = 3;
        int field;
        int sum(int n) {
            return n + count + field;
        }
        public static String text(String s) {
            return s + count;
        }
    }

    static class Own extends ClassLoader {
        final byte[] bytes;
        Own(byte[] bytes) {
            super(Classes.class.getClassLoader());
            this.bytes = bytes;
        }
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals("Classes$Defined") ? defineClass(name, bytes, 0, bytes.length) : super.loadClass(name, resolve);
        }
    }

    static byte[] bytes() throws Exception {
        try (var in = Classes.class.getResourceAsStream("Classes$Defined.class")) {
            return in.readAllBytes();
        }
    }

    static Object define() throws Exception {
        byte[] bytes = bytes();
        String all = "";
        for (int i = 0; i < 20; i++) {
            Class<?> c = Class.forName("Classes$Defined", true, new Own(bytes));
            Method m = c.getDeclaredMethod("text", String.class);
            m.setAccessible(true);
            all = (String)m.invoke(null, "t");
        }
        System.gc();
        return all;
    }

    static Object hide() throws Throwable {
        Class<?> c = MethodHandles.lookup().defineHiddenClass(bytes(), true).lookupClass();
        return c.isHidden();
    }

    static Object link() {
        int n = args.length;
        IntSupplier s = () -> n + 1;
        return "linked " + s.getAsInt() + " " + n + 2L + 'c';
    }

    static Object grow() {
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < 40; i++)
            kept.add(new byte[1 << 20]);
        byte[] large = new byte[4 << 20];
        int sum = kept.size() + large[5];
        kept = null;
        System.gc();
        return sum;
    }

    static Object monitors() throws Exception {
        Object[] locks = new Object[50];
        for (int i = 0; i < locks.length; i++) {
            locks[i] = new Object();
            synchronized (locks[i]) {
                locks[i].wait(0, 1);
            }
        }
        return locks.length;
    }

    static int deep(int n) {
        return n == 0 ? new Throwable().getStackTrace().length : deep(n - 1);
    }

    static Object traces() {
        return deep(200) > 200;
    }

    static Object names() {
        String last = "";
        for (int i = 0; i < 3000; i++)
            last = ("name" + i).intern();
        return last;
    }

    static void part(String name, Part p) {
        try {
            System.out.println(name + " " + p.run());
        } catch (Throwable t) {
            System.out.println(name + " " + t);
        }
    }

    static String[] args;

    public static void main(String[] given) {
        args = given;
        part("define", Classes::define);
        part("hide", Classes::hide);
        part("link", Classes::link);
        part("grow", Classes::grow);
        part("monitors", Classes::monitors);
        part("traces", Classes::traces);
        part("names", Classes::names);
    }
}
