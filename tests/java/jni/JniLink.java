// SPDX-License-Identifier: Apache-2.0
// What JNI says of calls of interface methods on receivers that do not implement the interface, of abstract methods that are
// called nonvirtually, of names longer than a class file can have, and of stores into arrays of arrays.
// @native jnilink
// @quick
import java.util.Date;

public class JniLink {
    static native Object call(Object o, Class<?> type, String name, boolean nonvirtual);

    static native Class<?> find(String name);

    static native Class<?> define(String name);

    static native void store(Object[] array, int i, Object o);

    interface I {
        default String d() {
            return "d of I";
        }

        private String p() {
            return "p of I";
        }

        String abs();
    }

    static class Other {
        public String d() {
            return "d of Other";
        }

        public String abs() {
            return "abs of Other";
        }

        @Override
        public String toString() {
            return "an Other";
        }
    }

    static class Impl implements I {
        @Override
        public String abs() {
            return "abs of Impl";
        }

        @Override
        public String toString() {
            return "an Impl";
        }
    }

    interface Step {
        Object run() throws Throwable;
    }

    static void t(String what, Step s) {
        String r;
        try {
            r = String.valueOf(s.run());
        } catch (Throwable e) {
            r = e.toString();
        }
        System.out.println(what + ": " + (r.length() > 200 ? r.substring(0, 120) + "... of " + r.length() : r));
    }

    public static void main(String[] args) {
        System.loadLibrary("jnilink");
        for (Object o : new Object[] {new Other(), new Impl(), new int[0]}) {
            for (String m : "d p abs toString".split(" ")) {
                if (o instanceof int[] && m.equals("toString")) {
                    continue;
                }
                t(o.getClass().getName() + " " + m, () -> call(o, I.class, m, false));
                t(o.getClass().getName() + " " + m + " nonvirtual", () -> call(o, I.class, m, true).toString().replaceAll("@.*", ""));
            }
        }
        String longest = "z".repeat(65535);
        t("find null", () -> find(null));
        t("find the longest", () -> find(longest));
        t("find longer", () -> find(longest + "z"));
        t("find longer in a package", () -> find("a/" + longest));
        t("define longer", () -> define(longest + "z"));
        t("forName longer", () -> Class.forName(longest + "z"));
        t("store into dates", () -> {
            store(new Date[3], 2, "x");
            return "stored";
        });
        t("store into arrays", () -> {
            store(new Object[3][], 2, "x");
            return "stored";
        });
        t("store into arrays of int", () -> {
            store(new int[3][][][], 2, "x");
            return "stored";
        });
        t("store an array", () -> {
            store(new int[3][], 1, new long[2]);
            return "stored";
        });
    }
}
