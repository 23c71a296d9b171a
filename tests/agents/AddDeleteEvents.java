// SPDX-License-Identifier: Apache-2.0
// JVM TI in methods that redefinition added: facts, entries, exits, steps, breakpoints and watches; the ids of methods that
// it deletes while a frame is in them.
// @agent ti_add_delete
// @flags -XX:+AllowRedefinitionToAddDeleteMethods
// @quick
import java.util.List;

class AddEvA {
    static int field;
    static int run(int i) { return i; }
    static String stay(Runnable r) { return "run"; }
}
class AddEvB {
    static int field;
    private static int added(int i) {
        int j = i + field;
        field = j;
        if (j > 5)
            throw new IllegalStateException();
        return j;
    }
    static int run(int i) { return new AddEvB().own(added(i)); }
    private final int own(int i) { return i * 2; }
    static String stay(Runnable r) { return inside(r); }
    private static String inside(Runnable r) {
        String text = "inside";
        r.run();
        return text;
    }
    private static <T> List<T> generic(List<T> list) { return list; }
}
class AddEvC { // in another order
    static int field;
    private static String other(long l) { return "other"; }
    static String stay(Runnable r) { return "run" + other(1); }
    private final int own(int i) { return i * 3; }
    AddEvC() { }
    static int run(int i) { return i; }
}

public class AddDeleteEvents extends AddDelete {
    static void run(int i) {
        events("LAddEv");
        try {
            System.out.println("    ran " + AddEvA.run(i));
        } catch (IllegalStateException e) {
            System.out.println("    thrown");
        }
        events(null);
    }

    static void change(String to) {
        System.out.println(to + ": " + become(AddEvA.class, to));
        methods(AddEvA.class);
    }

    public static void main(String[] args) throws Exception {
        Class<?> c = AddEvA.class;
        watch(c.getDeclaredField("field"));
        run(1);
        change("AddEvB");
        keep(0, c.getDeclaredMethod("added", int.class));
        keep(1, c.getDeclaredMethod("inside", Runnable.class));
        keep(2, c.getDeclaredMethod("own", int.class));
        keep(3, c.getDeclaredMethod("generic", List.class));
        for (int i = 0; i < 4; i++)
            facts(i);
        run(1);
        System.out.println("breakpoints " + breakpoint(0, 0, true) + breakpoint(0, 0, true) + breakpoint(2, 0, true) + breakpoint(2, 1, true));
        run(3);
        System.out.println("cleared " + breakpoint(2, 1, false) + breakpoint(2, 1, false));
        run(9);
        change("AddEvC");
        run(1);
        change("AddEvB");
        AddEvA.field = 1;
        run(1); // the breakpoints went with the redefinition
        keep(1, c.getDeclaredMethod("inside", Runnable.class));
        for (String to : new String[] {"AddEvA", "AddEvC"}) {
            change("AddEvB");
            System.out.println(AddEvA.stay(() -> {
                change(to);
                facts(1); // HotSpot's id of a deleted method is good as long as the version is
                if (to == "AddEvC")
                    change("AddEvB");
                facts(1);
            }));
            change("AddEvB");
            keep(1, c.getDeclaredMethod("inside", Runnable.class));
        }
    }
}
