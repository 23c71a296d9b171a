// SPDX-License-Identifier: Apache-2.0
// -XX:+AllowEnhancedClassRedefinition: interfaces are taken away. Where something refers to an object that would not be of its declared type any
// more, the redefinition is refused whole, and says where; else casts, calls and tables see it at once.
// @agent ti_redefine
// @only pellucid
// @flags -XX:+AllowEnhancedClassRedefinition
// @quick

interface Able00 {
    default String able() { return "able"; }
    default String run(Runnable r) {
        r.run();
        return "ran";
    }
}
interface More00 extends Able00 {
    default String more() { return "more " + able(); }
}
interface More01 { // extends it no more
    default String more() { return "more alone"; }
}
class Both00 implements More00 {
    public String toString() { return "Both"; }
}
class Both01 { // implements nothing
    public String toString() { return "Both1"; }
}
class BothLow00 extends Both00 { }

class Keeps {
    static Able00 fixed;
    Able00 own;
    static Object any;
    Able00[][] table;
}

public class EnhancedInterfaces extends Redefiner {
    static String call(Object o) { return ((Able00) o).able(); }
    static boolean is(Object o) { return o instanceof Able00; }
    static void show(Object... all) {
        for (Object o : all) {
            attempt(o.getClass().getName() + " is", () -> often(() -> is(o)));
            attempt("call", () -> often(() -> call(o)));
            attempt("more", () -> often(() -> ((More00) o).more()));
        }
        attempt("interfaces", () -> java.util.Arrays.toString(Both00.class.getInterfaces()) + java.util.Arrays.toString(More00.class.getInterfaces()));
    }
    static void take(String what, Class<?> c, String version) {
        int error = become(c, version);
        System.out.println(what + ": " + error + (error == 0 ? "" : " " + lastError().replaceFirst(".*: ", "")));
    }
    static String argument(Able00 a, Runnable r) {
        r.run();
        return "argument";
    }

    public static void main(String[] args) {
        Both00 both = new Both00();
        BothLow00 low = new BothLow00();
        show(both, low);
        Keeps.fixed = low;
        take("static", Both00.class, "Both01");
        Keeps.fixed = null;
        Keeps keeps = new Keeps();
        keeps.own = both;
        Keeps.any = keeps;
        take("field", Both00.class, "Both01");
        keeps.own = null;
        Keeps.any = new Able00[] {null, both};
        take("array", Both00.class, "Both01");
        keeps.table = new Able00[][] {{}, {low}};
        Keeps.any = keeps;
        take("table", Both00.class, "Both01");
        keeps.table = new Able00[][] {new Both00[] {}};
        take("an array of another type", Both00.class, "Both01");
        keeps.table = null;
        System.out.println(argument(both, () -> take("argument", Both00.class, "Both01")));
        System.out.println(both.run(() -> take("receiver", Both00.class, "Both01")));
        Keeps.any = both; // of no such type
        take("through what it extends", More00.class, "More01");
        show(both, low);
        take("back", More00.class, "More00");
        show(both, low);
        take("all", Both00.class, "Both01");
        show(both, low);
        take("back", Both00.class, "Both00");
        show(both, low);
    }
}
