// SPDX-License-Identifier: Apache-2.0
// -XX:+AllowEnhancedClassRedefinition: fields come, go, change their types, modifiers and order; instances and statics are migrated, and
// keep values, identity, hash, monitor, tag and references. What knew a field by offset, id or handle never hits another one.
// @agent ti_redefine
// @only pellucid
// @flags -XX:+AllowEnhancedClassRedefinition
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Supplier;

class Data00 {
    int n = 1;
    String text = "text";
    byte small = -3;
    static int count = 5;
    static String shared = "shared";
    String show() { return n + " " + text + " " + small + " " + count + " " + shared; }
    Data00 next;
    Data00 chain() { return next; }
}
class Data01 { // more of them
    long first;
    int n = 1;
    String text = "text";
    Object other;
    byte small = -3;
    boolean flag;
    static final String WORD = "a word";
    static final long BIG = 1L << 40;
    static double fresh = 2.5;
    static int count = 5;
    static String shared = "shared";
    String show() { return first++ + " " + n + " " + text + " " + other + " " + small + " " + flag + " " + WORD + " " + BIG + " " + fresh + " " + count + " " + shared; }
    Data01 next;
    Data01 chain() { return next; }
}
class Data02 { // other types: wider, of a superclass, of a class that the values are not of; static and not
    long n = 1;
    CharSequence text = "text";
    double small = -3;
    static long count = 5;
    String shared;
    static int first;
    String show() { return n + " " + text + " " + small + " " + count + " " + shared + " " + first; }
    Data02 next;
    Data02 chain() { return next; }
}
class Data03 { // nothing but one of another class
    Integer text = 3;
    String show() { return "" + text; }
    Data03 chain() { return null; }
}
class Data04 { // modifiers and order
    Data04 next;
    private static volatile String shared = "shared";
    protected volatile byte small = -3;
    public final String text = "text";
    transient int n = 1;
    static final int count = 5;
    String show() { return n + " " + text + " " + small + " " + Data04.class.getDeclaredFields().length + " " + shared; }
    Data04 chain() { return next; }
}
class DataLow00 extends Data00 {
    short low = 7;
    Object own = "own";
    String show() { return super.show() + " " + low + " " + own; }
}
class DataLow01 extends Data00 { // hides a field, has more
    short low = 7;
    Object own = "own";
    int n = 100;
    long more = 4;
    String show() { return super.show() + " " + low + " " + own + " " + n + " " + more; }
}
interface Consts00 { int A = 1; }
interface Consts01 { int A = 1; String B = "b"; Object C = new Object(); }
class ConstsUser00 implements Consts00 { }

class Holder00 extends WeakReference<Object> {
    Holder00(Object o) { super(o); }
    int a = 1;
    static String show(Holder00 h) { return h.a + " " + h.get(); }
}
class Holder01 extends WeakReference<Object> {
    Holder01(Object o) { super(o); }
    int a = 1;
    long b;
    Object c;
    static String show(Holder01 h) { return h.a + " " + h.b + " " + h.c + " " + h.get(); }
}

record Pair00(int a, String b) { }
record Pair01(int a, String b, long c) { }

enum Kind00 { ONE, TWO }
enum Kind01 { ONE, TWO, THREE }

class Hot00 {
    int a = 3;
    static int sum(Hot00 h, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += h.a;
        return sum;
    }
    static int local(int n) { // its object is never made
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Hot00 h = new Hot00();
            h.a = i;
            sum += EnhancedFields.pass(h.a);
        }
        return sum;
    }
}
class Hot01 {
    long pad;
    int a = 3;
    long b = 2;
    static int sum(Hot01 h, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += h.a + (int) h.b;
        return sum;
    }
    static int local(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Hot01 h = new Hot01();
            h.a = i;
            sum += EnhancedFields.pass(h.a) + (int) h.b;
        }
        return sum;
    }
}

public class EnhancedFields extends Redefiner {
    static void attempt(String what, Callable<?> r) {
        try {
            System.out.println("  " + what + ": " + r.call());
        } catch (Throwable e) {
            System.out.println("  " + what + ": threw " + e);
        }
    }

    static volatile boolean inPass;
    static int pass(int i) {
        if (i == 30_000 && inPass) {
            inPass = false;
            become(Hot00.class, "Hot01");
        }
        return i & 1;
    }

    static void show(Object... all) {
        for (Object o : all)
            attempt(o.getClass().getName(), () -> often(() -> o instanceof Data00 d ? d.show() : o.toString()));
    }
    static String fields(Class<?> c) {
        List<String> names = new ArrayList<>();
        for (Field f : c.getDeclaredFields())
            names.add(Modifier.toString(f.getModifiers()) + " " + f.getType().getSimpleName() + " " + f.getName());
        return names.toString();
    }

    static void data() throws Exception {
        Data00 one = new Data00(), two = new Data00();
        DataLow00 low = new DataLow00();
        two.n = 22;
        two.text = "two";
        one.next = two;
        two.next = low;
        low.next = one;
        low.small = 9;
        Data00[] array = {one, two, low};
        Object[] all = {one, two, low};
        int[] hashes = {System.identityHashCode(one), System.identityHashCode(low)};
        IdentityHashMap<Object, String> map = new IdentityHashMap<>();
        for (Object o : all)
            map.put(o, "in the map");
        WeakReference<Object> weak = new WeakReference<>(two);
        Supplier<String> bound = low::show;
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        VarHandle n = lookup.findVarHandle(Data00.class, "n", int.class);
        MethodHandle text = lookup.findGetter(Data00.class, "text", String.class);
        VarHandle shared = lookup.findStaticVarHandle(Data00.class, "shared", String.class);
        Field small = Data00.class.getDeclaredField("small");
        Object locked = two;
        keepObject(low, 4711, "n");
        show(all);
        for (String name : new String[] {"Data01", "Data00", "Data02", "Data01", "Data03", "Data00", "Data04", "Data00"}) {
            synchronized (locked) {
                System.out.println(name + ": " + become(Data00.class, name) + " " + fields(Data00.class));
                System.out.println("held: " + Thread.holdsLock(locked));
            }
            if (fields(Data00.class).contains("next"))
                one.next = two;
            show(all);
            attempt("identity", () -> array[0] == one && array[2] == low && one.chain() == (fields(Data00.class).contains("next") ? array[1] : null) && weak.get() == two
                && hashes[0] == System.identityHashCode(one) && hashes[1] == System.identityHashCode(low) && map.get(two).equals("in the map"));
            attempt("bound", bound::get);
            attempt("kept by native code", () -> kept(low));
            if (name.equals("Data01"))
                attempt("var handle", () -> (int) n.getAndAdd(one, 1) + " " + (int) n.get(low));
            attempt("old handles", () -> { // of fields that are there, or of places that no other field has
                n.get(one);
                shared.get();
                shared.set("again");
                small.get(one);
                small.set(low, (byte) 8);
                try {
                    return "" + ((String) text.invokeExact(two)).length();
                } catch (NullPointerException e) {
                    return "null";
                } catch (Throwable e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        System.out.println("low: " + become(DataLow00.class, "DataLow01"));
        show(all);
        System.out.println("both: " + redefine(new Class<?>[] {DataLow00.class, Data00.class}, new byte[][] {as(DataLow00.class, "DataLow00"), as(Data00.class, "Data01")}));
        show(all);
        System.out.println("twice in one call: " + redefine(new Class<?>[] {Data00.class, Data00.class}, new byte[][] {as(Data00.class, "Data02"), as(Data00.class, "Data01")})
            + " " + fields(Data00.class));
        show(all);
        show(new Data00(), new DataLow00());
    }

    static void others() throws Exception {
        System.out.println("interface: " + become(Consts00.class, "Consts01") + " " + fields(Consts00.class));
        attempt("constants", () -> Consts00.class.getField("A").get(null) + " " + ConstsUser00.class.getField("B").get(null) + " " + Consts00.class.getField("C").get(null).getClass());
        Holder00 h = new Holder00("referent of a string that lives");
        System.out.println("reference: " + Holder00.show(h) + " " + become(Holder00.class, "Holder01") + " " + Holder00.show(h));
        System.gc();
        System.out.println("after a collection: " + Holder00.show(h).substring(0, 9));
        Pair00 pair = new Pair00(1, "b");
        System.out.println("record: " + become(Pair00.class, "Pair01") + " " + pair + " " + Pair00.class.getRecordComponents().length + " " + pair.hashCode() + " " + pair.equals(pair));
        System.out.print(Kind00.TWO + " ");
        System.out.println("enum: " + become(Kind00.class, "Kind01") + " " + Kind00.values().length + " " + Kind00.class.getDeclaredField("THREE").get(null) + " " + Kind00.ONE.ordinal());
    }

    static void many() {
        Data00[] all = new Data00[50_000];
        for (int i = 0; i < all.length; i++) {
            all[i] = i % 10 == 0 ? new DataLow00() : new Data00();
            all[i].n = i;
            all[i].next = i > 0 ? all[i - 1] : null;
        }
        long before = check(all);
        for (String name : new String[] {"Data02", "Data01", "Data00"}) {
            System.out.println("many " + name + ": " + become(Data00.class, name) + " " + (check(all) == before));
            System.gc();
            System.out.println("after a collection: " + (check(all) == before));
        }
    }
    static long check(Data00[] all) {
        long sum = 0;
        Data00 at = all[all.length - 1];
        for (int i = all.length - 1; i >= 0; i--, at = at.chain()) {
            if (at != all[i])
                return -1;
            sum = sum * 31 + at.show().hashCode() + (at instanceof DataLow00 low ? low.low : 0);
            if (at.show().indexOf(" text ") < 0)
                return -2;
        }
        return all.length;
    }

    static void hot() throws Exception {
        Hot00 h = new Hot00();
        System.out.println(often(() -> Hot00.sum(h, 1000)) + " " + often(() -> Hot00.local(1000)));
        inPass = true;
        int old = Hot00.local(60_000); // the frame ends in the version in which it began
        System.out.println("in a frame: " + old + " " + Hot00.local(10) + " " + Hot00.sum(h, 1000));
        System.out.println(often(() -> Hot00.sum(h, 1000)) + " " + often(() -> Hot00.local(1000)) + " " + become(Hot00.class, "Hot00") + " " + Hot00.sum(h, 1000));
    }

    static void threads() throws Exception {
        AtomicBoolean end = new AtomicBoolean();
        TreeSet<String> wrong = new TreeSet<>();
        Thread[] all = new Thread[8];
        for (int t = 0; t < all.length; t++) {
            int number = t;
            all[t] = new Thread(() -> {
                Data00 mine = number % 2 == 0 ? new Data00() : new DataLow00();
                mine.next = mine;
                int hash = System.identityHashCode(mine);
                while (!end.get())
                    try {
                        Data00 made = new Data00();
                        made.next = mine;
                        String got = mine.show() + made.show();
                        if (made.chain() != mine || mine.chain() != mine || System.identityHashCode(mine) != hash || got.indexOf("text") < 0)
                            synchronized (wrong) { wrong.add(got); }
                    } catch (NoSuchFieldError e) { // of a frame of the one version that reads what the other has not
                    } catch (Throwable e) {
                        synchronized (wrong) { wrong.add(e.toString()); }
                    }
            });
            all[t].start();
        }
        int done = 0;
        for (int i = 0; i < 40; i++) {
            done += become(Data00.class, i % 2 == 0 ? "Data01" : "Data00") == 0 ? 1 : 0;
            Thread.sleep(5);
        }
        end.set(true);
        for (Thread t : all)
            t.join();
        System.out.println("turns " + done + ", wrong " + wrong);
    }

    public static void main(String[] args) throws Exception {
        data();
        others();
        many();
        hot();
        threads();
    }
}
