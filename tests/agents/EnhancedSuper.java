// SPDX-License-Identifier: Apache-2.0
// -XX:+AllowEnhancedClassRedefinition: classes get superclasses between them and the one that they have. Instances get the fields; those that
// moved up keep their values; casts, calls, tables, arrays, handles and reflection see it at once, also in hot code and with threads in it.
// What would not be below the old superclass, or has its fields in the way, is refused whole, and says why.
// @agent ti_redefine
// @only pellucid
// @flags -XX:+AllowEnhancedClassRedefinition
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

class Item00 {
    int a = 1;
    String b = "b";
    byte c = 3;
    Item00 next;
    String show() { return a + " " + b + " " + c; }
    public String who() { return "Item"; }
}
class Item01 extends Base { // it has fields and methods
    int a = 1;
    String b = "b";
    byte c = 3;
    Item00 next;
    String show() { return a + " " + b + " " + c + " " + super.show(); }
    public String who() { return "Item1 of " + super.who(); }
}
class Item02 extends Pulled { // two fields have moved up
    byte c = 3;
    Item00 next;
    String show() { return c + " " + super.show(); }
}
class Item03 { // not below the one that it has
    String show() { return "Item3"; }
}
class ItemLow00 extends Item00 {
    long low = 7;
    Object own = "own";
    String show() { return super.show() + " " + low + " " + own; }
}
interface Named {
    default String named() { return "named " + who(); }
    String who();
}
class Base implements Named {
    static String started = Log.note("Base starts");
    long x = 5;
    Object y = "y";
    short z = -2;
    String show() { return x++ + " " + y + " " + z; }
    public String who() { return "Base"; }
    final int twice(int n) { return n * 2 + (int) x; }
    protected String low() { return "low in Base"; }
}
class Pulled extends Base {
    static String started = Log.note("Pulled starts");
    int a = -1;
    String b = "not this";
    double more;
    String show() { return a + " " + b + " " + more + " " + super.show(); }
}
class Log {
    static synchronized String note(String what) {
        System.out.println(what);
        return what;
    }
}

class Busy { // has instances already
    int mine = 4;
    static Busy first = new Busy();
}
class BusyNone { // likewise, without a field
    static BusyNone first = new BusyNone();
    String hello() { return "hello from " + getClass().getName(); }
}
class Fails {
    static int n = Integer.parseInt("x");
    String fails() { return "fails " + n; }
    String works() { return "works"; }
}
class Fine00 { int k = 9; }
class Fine01 extends Busy { int k = 9; }
class Fine02 extends BusyNone { int k = 9; }
class Fine03 extends Thread { int k = 9; }
class Fine04 extends BusyNone { int k = 9; public String toString() { return "4"; } }
class Fine05 extends OpenKind0 { int k = 9; }
class Fine06 extends Last { int k = 9; }
class Fine07 extends Late { int k = 9; }
class Fine08 extends Fails { int k = 9; }
class OpenKind0 { }
final class DoneKind0 { }
interface FaceKind0 { }
class Last { public final String toString() { return "last"; } }
class Late { public static String late() { return "late"; } }
class FineLow00 extends Fine00 { public String toString() { return "low"; } }
class Circ00 { }
class Circ01 extends OpenKind0 { }
class CircBelow extends Circ00 { }

class One00 { String one() { return "one"; } }
class Two00 { String two(One00 o) { return "two " + o.one(); } }
class Use00 { static String use(One00 o, Two00 t) { return t.two(o); } }
class One01 extends Two01 { String one() { return "one " + top(); } }
class Two01 extends Top { String two(One00 o) { return "two " + o.one(); } }
class Use01 { static String use(One01 o, Two00 t) { return both(o) + t.two((One00) (Object) o); } static String both(Top t) { return t.top() + ", "; } }
class Top { String top() { return "top"; } }

public class EnhancedSuper extends Redefiner {
    static void take(String what, Class<?> c, String from) {
        int error = become(c, from);
        System.out.println(what + ": " + error + (error == 0 ? "" : " " + lastError()));
    }
    static void take(String what, Class<?> c, String from, String text, String other) {
        int error = redefine(c, replace(as(c, from), text, other));
        System.out.println(what + ": " + error + " " + lastError());
    }
    static boolean isBase(Object o) { return o instanceof Base; }
    static int twice(Object o) { return ((Base) o).twice(4); }
    static String named(Object o) { return ((Named) o).named(); }

    static void show(Item00... all) {
        for (Item00 i : all) {
            attempt(i.getClass().getName(), i::show);
            attempt("who", () -> often(i::who));
            attempt("is", () -> often(() -> isBase(i)));
            attempt("twice", () -> often(() -> twice(i)));
            attempt("named", () -> often(() -> named(i)));
        }
    }

    static Item00[] many(int n) {
        Item00[] items = new Item00[n];
        for (int i = 0; i < n; i++) {
            items[i] = i % 3 == 0 ? new ItemLow00() : new Item00();
            items[i].a = i;
            items[i].b = "b" + i;
            items[i].next = i == 0 ? null : items[i - 1];
        }
        return items;
    }
    static boolean allRight(Item00[] items) {
        for (int i = 0; i < items.length; i++) {
            boolean low = !(items[i] instanceof ItemLow00) || ((ItemLow00) items[i]).low == 7 && ((ItemLow00) items[i]).own.equals("own");
            if (!low || items[i].c != 3 || items[i].next != (i == 0 ? null : items[i - 1]))
                return false;
        }
        return true;
    }

    static void items() throws Throwable {
        Item00 item = new Item00(), low = new ItemLow00();
        Item00[] items = many(5000);
        int hash = item.hashCode();
        VarHandle c = MethodHandles.lookup().findVarHandle(Item00.class, "c", byte.class);
        AtomicBoolean end = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            Thread thread = new Thread(() -> {
                while (!end.get())
                    for (int i = 0; i < items.length; i += 7) {
                        String s = items[i].who();
                        items[i].hashCode();
                        if (!s.startsWith("Item") && !s.equals("Base"))
                            synchronized (wrong) {
                                wrong.add(s);
                            }
                    }
            });
            threads.add(thread);
            thread.start();
        }
        show(item, low);
        synchronized (item) {
            take("a superclass", Item00.class, "Item01");
            System.out.println(Thread.holdsLock(item) + " " + (item.hashCode() == hash) + " " + allRight(items));
        }
        show(item, low, new Item00());
        Object[] bases = new Base[2];
        bases[0] = item;
        MethodHandle h = MethodHandles.lookup().findVirtual(Base.class, "who", MethodType.methodType(String.class));
        System.out.println(bases[0] == item ? h.invoke((Base) bases[0]) + " " + Item00.class.getSuperclass() + " " + c.get(item) : "");
        System.out.println(Base.class.isAssignableFrom(ItemLow00.class) + " " + Base.class.isInstance(low) + " "
            + Item00.class.getMethod("who") + " " + (int) Base.class.getDeclaredMethod("twice", int.class).invoke(low, 1));
        ((Base) (Object) item).y = new int[] {1};
        System.gc();
        ((Base) (Object) items[9]).x = 99;
        take("another, with fields that moved up", Item00.class, "Item02");
        System.out.println(((Pulled) (Object) items[77]).a + " " + ((Pulled) (Object) items[77]).b + " " + ((Base) (Object) items[9]).x
            + " " + ((int[]) ((Base) (Object) item).y).length);
        ((Base) (Object) item).y = "y";
        boolean same = true;
        for (int i = 0; i < items.length; i++)
            same &= items[i].c == 3 && items[i].next == (i == 0 ? null : items[i - 1]) && ((Pulled) (Object) items[i]).a == i;
        System.out.println(same + " " + c.get(item));
        attempt("shows", item::show);
        attempt("low shows", low::show);
        attempt("new shows", () -> new Item00().show());
        take("none of them", Item00.class, "Item03");
        take("the first", Item00.class, "Item01");
        end.set(true);
        for (Thread t : threads)
            t.join();
        System.out.println(wrong);
    }

    static void refused() {
        Object o = new FineLow00();
        System.out.println(Busy.first.mine + " " + (BusyNone.first != null));
        take("in use", Fine00.class, "Fine01");
        take("known to the VM", Fine00.class, "Fine03");
        take("final", Fine00.class, "Fine05", "OpenKind0", "DoneKind0");
        take("an interface", Fine00.class, "Fine05", "OpenKind0", "FaceKind0");
        take("absent", Fine00.class, "Fine05", "OpenKind0", "NoneKind0");
        take("circular", Circ00.class, "Circ01", "OpenKind0", "CircBelow");
        take("itself", Circ00.class, "Circ01", "OpenKind0", "Circ00\0\0\0");
        take("a final method", Fine00.class, "Fine06");
        System.out.println(Fine00.class.getSuperclass() + " " + o + " " + Circ00.class.getSuperclass());
        take("in use without fields", Fine00.class, "Fine02");
        System.out.println(((BusyNone) o).hello() + " " + ((Fine00) o).k);
        take("and a method", Fine00.class, "Fine04");
        System.out.println(o + " " + new Fine00());
        take("what it has not", Fine00.class, "Fine07");
    }
    static void failing() throws Exception {
        Object o = new Failing00();
        take("an initializer that fails", Failing00.class, "Failing01");
        attempt("works", () -> ((Fails) o).works());
        attempt("fails", () -> ((Fails) o).fails());
    }
    static class Nothing { }

    static void together() {
        One00 one = new One00();
        Two00 two = new Two00();
        attempt("before", () -> often(() -> Use00.use(one, two)));
        Class<?>[] all = {Use00.class, One00.class, Two00.class};
        byte[][] files = {replace(as(Use00.class, "Use01"), "One01", "One00"), replace(as(One00.class, "One01"), "Two01", "Two00"), replace(as(Two00.class, "Two01"), "Two01", "Two00")};
        System.out.println("together: " + redefine(all, files));
        attempt("after", () -> often(() -> Use00.use(one, two)));
        attempt("top", () -> ((Top) (Object) one).top());
    }

    // The places of fields that a class had once are still its objects' own.
    static void shed() throws Exception {
        Keeps00 o = new Keeps00();
        take("fields go", Sheds00.class, "Sheds01");
        take("what had fields", Keeps00.class, "Keeps01");
        System.gc();
        System.out.println(Keeps00.class.getSuperclass() + " " + o.x + " " + o.y);
    }

    public static void main(String[] args) throws Throwable {
        items();
        shed();
        refused();
        failing();
        together();
    }
}
class Failing00 { }
class Failing01 extends Fails { }
class Sheds00 {
    Object a, b, c;
}
class Sheds01 { }
class Keeps00 {
    int x = 0x1234567, y = 0x2345671;
}
class Keeps01 extends Sheds00 {
    int x, y;
}
