// SPDX-License-Identifier: Apache-2.0
// Hidden classes, defineClass, class data, and what a lookup refuses.
// @quick
import java.io.InputStream;
import java.lang.invoke.*;

public class Hidden1 {
    static int secret() {
        return 1000;
    }
    static byte[] bytes(String n) throws Exception {
        try (InputStream in = Hidden1.class.getResourceAsStream("/" + n + ".class")) {
            return in.readAllBytes();
        }
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        byte[] b = bytes("Hidden1Body");
        Object prev = null;
        for (int i = 0; i < 3; i++) {
            MethodHandles.Lookup h = l.defineHiddenClass(b, true, MethodHandles.Lookup.ClassOption.NESTMATE);
            Class<?> c = h.lookupClass();
            Object o = c.getDeclaredConstructor().newInstance();
            System.out.println(c.isHidden() + " " + c.getName().replaceAll("0x[0-9a-f]+|/\\d+", "/N").replaceAll("/.*", "/N") + " " + c.getNestHost() + " "
                + ((java.util.function.IntSupplier) o).getAsInt() + " " + c.getCanonicalName() + " " + (prev != null && prev.getClass() == c) + " "
                + c.isNestmateOf(Hidden1.class) + c.getSimpleName().startsWith("Hidden1Body"));
            try {
                Class.forName(c.getName());
            } catch (ClassNotFoundException e) {
                System.out.println("CNFE");
            }
            prev = o;
        }
        MethodHandles.Lookup h = l.defineHiddenClassWithClassData(b, "the data", false);
        System.out.println(MethodHandles.classData(h, "_", String.class) + " " + h.lookupClass().getNestHost().isHidden());
        try {
            System.out.println(((java.util.function.IntSupplier) h.lookupClass().getDeclaredConstructor().newInstance()).getAsInt());
        } catch (IllegalAccessError e) {
            System.out.println("IAE " + e.getMessage().replaceAll("/0x[0-9a-f]+|\\+0x[0-9a-f]+", "/N"));
        }
        try {
            l.defineClass(b);
        } catch (LinkageError e) {
            System.out.println(e.getMessage().replaceAll("@[0-9a-f]+", "@"));
        }
        byte[] bad = b.clone();
        bad[0] = 0;
        try {
            l.defineHiddenClass(bad, false);
        } catch (ClassFormatError e) {
            System.out.println(e.getClass());
        }
        try {
            MethodHandles.publicLookup().defineHiddenClass(b, false);
        } catch (IllegalAccessException e) {
            System.out.println("IAE");
        }
        try {
            l.in(String.class).defineHiddenClass(b, false);
        } catch (IllegalAccessException e) {
            System.out.println("IAE");
        }
        StackTraceElement[] st = null;
        try {
            Runnable r = () -> {
                throw new RuntimeException();
            };
            r.run();
        } catch (RuntimeException e) {
            st = e.getStackTrace();
        }
        System.out.println(st.length);
    }
}

class Hidden1Body implements java.util.function.IntSupplier {
    static int count;
    private final int v = ++count;
    public int getAsInt() {
        return v + Hidden1.secret();
    }
    public String toString() {
        return getClass().getSimpleName() + v;
    }
}
