// SPDX-License-Identifier: Apache-2.0
// -XX:+AllowEnhancedClassRedefinition: classes lose the superclass that they have, for another one, or none. Instances keep the values of fields
// by name, also of those of the new superclass's own instances, whose fields move out of the way; casts, calls and reflection see it at once.
// What would leave a reference that is not of its declared type, or code that is not right, is refused whole, and says where. What was on its way with
// such an object, and so takes it still for what it was, gets an error, or a field that nobody else uses.
// @agent ti_redefine
// @only pellucid
// @flags -XX:+AllowEnhancedClassRedefinition
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

class OldTop { // known by name to nothing but the classes below it, and to Keeper
    int size = 11;
    String label = "old";
    Object extra = "extra";
    String who() { return "OldTop " + size + " " + label; }
    String old() { return "old " + extra; }
    private String secret() { return "secret " + extra; }
    String tell() { return secret(); }
    String rank() { return "old"; }
    public String toString() { return who(); }
}
class NewTop { // in use, with fields where OldTop has some
    String first = "first";
    int label = 5;
    Object extra = "new extra";
    long wide = 1L << 40;
    static NewTop used = new NewTop();
    static NewTop[] many = {new NewTop(), new NewLow()};
    String who() { return "NewTop " + first + " " + label + " " + extra + " " + wide; }
    String fresh() { return "fresh " + first; }
    String rank() { return "new"; }
    public String toString() { return who(); }
}
class NewLow extends NewTop {
    Object low = "low";
    String who() { return "NewLow " + low + " " + super.who(); }
}
class Thing0 extends OldTop {
    int own = 3;
    Thing0 next;
    String who() { return "Thing " + own + " " + super.who(); }
    String both() { return who() + " " + old(); }
}
class ThingLow0 extends Thing0 {
    byte last = 9;
    String who() { return "Low " + last + " " + super.who(); }
}
class Thing1 extends NewTop {
    int own = 3;
    int size = -1; // has the value of the one that goes
    Thing0 next;
    String who() { return "Thing1 " + own + " " + size + " " + super.who(); }
    String both() { return who() + " " + fresh(); }
}
class Thing2 { // nothing above
    int own = 3;
    Thing0 next;
    String who() { return "Thing2 " + own; }
    String both() { return who(); }
    String rank() { return "none"; }
    public String toString() { return who(); }
}

class Keeper { // whose code is right whatever Thing0 is
    static Object any;
    static Object[] all = new Object[2];
    OldTop own;
    OldTop[][] table;
    static OldTop fixed;
}
class Frames {
    static String argument(OldTop o, Runnable r) {
        r.run();
        return o.who();
    }
    static String local(Object o, Runnable r) {
        OldTop top = (OldTop) o;
        r.run();
        return call(top);
    }
    static String call(OldTop o) { return o.who(); }
    static String tellIt(OldTop o) { return o.tell(); }
    static Object field(OldTop o) { return o.size + " " + o.label + " " + o.extra; }
    static void set(OldTop o) {
        o.size = 7;
        o.label = "stale";
        o.extra = "stale";
    }
    // What a local holds that was checked before.
    static List<String> stale(Object o, Runnable r) {
        OldTop top = (OldTop) o;
        r.run();
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(outcome(top, 0));
            all.add(outcome(top, 1));
            set(top);
            all.add(outcome(top, 2));
        }
        return all;
    }
    static String outcome(OldTop o, int what) {
        try {
            return what == 0 ? call(o) : what == 1 ? tellIt(o) : String.valueOf(field(o));
        } catch (IncompatibleClassChangeError e) {
            return e.getMessage();
        }
    }
}
class Relies { // hands a Rely0 over as a RelyTop
    static RelyTop kept(Rely0 r) { return r; }
}
class RelyTop { }
class Rely0 extends RelyTop { }
class Rely1 extends OldTop { }
class Boxed0 extends BoxTop { int x = 1; }
class BoxTop { int y = 2; }
class Boxed1 extends Told { int x; }
class Told { // a handle knows where its field is
    int z = 4;
    static Told used = new Told();
}
class Boxed2 extends Untold { int x; }
class Untold {
    int z = 5;
    static Untold used = new Untold();
}
class Tower0 extends Middle { String up() { return "tower " + super.up(); } }
class Middle extends Bottom { int middle = 2; String up() { return "middle " + super.up(); } }
class Bottom { int bottom = 1; String up() { return "bottom " + bottom; } }
class Tower1 extends Bottom { String up() { return "tower " + super.up(); } }
class Failure0 extends FailureTop { }
class FailureTop extends RuntimeException { }
class Failure1 extends RuntimeException { }
class Loaded0 extends ClassLoader { }
class Loaded1 { }
class Running0 extends RunTop {
    static volatile Runnable then;
    int steps = 1;
    String run() {
        String before = super.step();
        then.run();
        String after;
        try {
            after = super.step();
        } catch (IncompatibleClassChangeError e) {
            after = e.getMessage();
        }
        try {
            return before + ", " + after + ", " + kept;
        } catch (NoSuchFieldError e) {
            return before + ", " + after + ", " + e;
        }
    }
}
class RunTop {
    int kept = 6;
    String step() { return "step " + kept; }
}
class Running1 {
    int steps;
    String run() { return "new run " + steps; }
}

public class EnhancedSuperLost extends Redefiner {
    static void take(String what, Class<?> c, String from) {
        int error = become(c, from);
        System.out.println(what + ": " + error + (error == 0 ? "" : " " + lastError().replaceFirst(".*interfaces: ", "")));
    }
    static boolean isOld(Object o) { return o instanceof OldTop; }
    static boolean isNew(Object o) { return o instanceof NewTop; }
    static String rank(Object o) { return ((Thing0) o).rank(); }
    static String asNew(Object o) { return ((NewTop) o).who(); }
    static void show(String what, Object... all) {
        System.out.println(what);
        for (Object o : all) {
            attempt(o.getClass().getName(), o::toString);
            attempt("is", () -> often(() -> isOld(o)) + " " + often(() -> isNew(o)));
            attempt("as the new one", () -> asNew(o));
            attempt("both", () -> ((Thing0) o).both());
            attempt("rank", () -> often(() -> rank(o)));
        }
    }
    static Object[] many(int n) {
        Object[] all = new Object[n];
        for (int i = 0; i < n; i++) {
            Thing0 t = i % 3 == 0 ? new ThingLow0() : new Thing0();
            t.own = i;
            t.size = 2 * i;
            t.next = i == 0 ? null : (Thing0) all[i - 1];
            all[i] = t;
        }
        return all;
    }
    static boolean allRight(Object[] all) {
        for (int i = 0; i < all.length; i++) {
            Thing0 t = (Thing0) all[i];
            if (t.own != i || t.next != (i == 0 ? null : all[i - 1]) || t instanceof ThingLow0 l && l.last != 9)
                return false;
        }
        return true;
    }

    // A frame of the old version gets an error where it calls a method of the superclass that went.
    static String who(Thing0 t) {
        try {
            return t.who();
        } catch (IncompatibleClassChangeError e) {
            return "Thing " + e;
        }
    }
    static Object through(MethodHandle h) throws Exception {
        try {
            return h.invoke();
        } catch (Throwable e) {
            return e;
        }
    }

    static void things() throws Throwable {
        Object[] all = many(2000);
        Thing0 one = new Thing0(), low = new ThingLow0();
        int hash = one.hashCode();
        MethodHandle bound = MethodHandles.lookup().findVirtual(OldTop.class, "who", MethodType.methodType(String.class)).bindTo(one);
        AtomicBoolean end = new AtomicBoolean();
        List<String> wrong = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < 8; n++) {
            Thread t = new Thread(() -> {
                for (; !end.get(); java.util.concurrent.locks.LockSupport.parkNanos(1000000))
                    for (int i = 0; i < all.length; i += 997) {
                        String s = who((Thing0) all[i]);
                        String high = NewTop.many[i & 1].who();
                        if (!s.startsWith("Thing") && !s.startsWith("Low") || !high.startsWith("New") || !high.endsWith("NewTop first 5 new extra 1099511627776"))
                            synchronized (wrong) {
                                wrong.add(s + " " + high);
                            }
                    }
            });
            t.setDaemon(true);
            threads.add(t);
            t.start();
        }
        show("at first", one, low, NewTop.used);
        System.out.println(bound.invoke());
        synchronized (one) {
            take("another superclass", Thing0.class, "Thing1");
            System.out.println(Thread.holdsLock(one) + " " + (one.hashCode() == hash) + " " + allRight(all));
        }
        show("then", one, low, new Thing0(), NewTop.used, NewTop.many[1]);
        attempt("a handle", () -> through(bound));
        System.out.println(Thing0.class.getSuperclass() + " " + OldTop.class.isAssignableFrom(ThingLow0.class) + " " + NewTop.class.isInstance(low)
            + " " + new Thing0[0].getClass().isInstance(new ThingLow0[1]) + " " + ((Object) new Thing0[0] instanceof OldTop[]) + " " + ((Object) new Thing0[0] instanceof NewTop[]));
        System.gc();
        ((NewTop) (Object) all[77]).first = "mine";
        System.out.println(((NewTop) (Object) all[77]).who() + " " + allRight(all));
        take("and back", Thing0.class, "Thing3");
        System.out.println(allRight(all));
        show("back", one, low);
        take("none", Thing0.class, "Thing2");
        show("none", one, low, new Thing0());
        System.out.println(allRight(all));
        for (int i = 0; i < 20; i++) // places are taken again
            if (become(Thing0.class, i % 2 == 0 ? "Thing3" : "Thing1") != 0)
                System.out.println(i + " " + lastError());
        System.gc();
        System.out.println(allRight(all) + " " + Thing0.class.getSuperclass());
        end.set(true);
        for (Thread t : threads)
            t.join();
        System.out.println(wrong);
    }

    static void refused() throws Throwable {
        Thing0 o = new Thing0();
        take("to begin with", Thing0.class, "Thing3");
        Keeper k = new Keeper();
        Keeper.fixed = (OldTop) (Object) o;
        take("a static", Thing0.class, "Thing1");
        Keeper.fixed = null;
        k.own = (OldTop) (Object) o;
        take("a field", Thing0.class, "Thing1");
        k.own = null;
        k.table = new OldTop[][] {{null, (OldTop) (Object) o}};
        take("an element", Thing0.class, "Thing1");
        k.table = null;
        System.out.println(Frames.argument((OldTop) (Object) o, () -> take("an argument", Thing0.class, "Thing1")));
        System.out.println(Thing0.class.getSuperclass() + " " + k.own);
        Relies.kept(null);
        take("code", Rely0.class, "Rely1");
        MethodHandle handle = MethodHandles.lookup().findGetter(Told.class, "z", int.class);
        take("a handle knows its place", Boxed0.class, "Boxed1");
        take("no handle knows its place", Boxed0.class, "Boxed2");
        System.out.println((int) handle.invoke(Told.used) + " " + ((Untold) (Object) new Boxed0()).z + " " + Untold.used.z);
        take("known to the VM", Loaded0.class, "Loaded1");
    }
    static void stale() {
        Thing0 o = new Thing0();
        take("to begin with", Thing0.class, "Thing3");
        for (int i = 0; i < 3000; i++) // compiled
            Frames.stale(o, () -> { });
        System.out.println(Frames.stale(o, () -> take("a local alone", Thing0.class, "Thing1")));
        for (int i = 0; i < 3000; i++)
            Frames.outcome(new OldTop(), i % 3);
        System.out.println(Frames.outcome(new OldTop(), 0) + " " + o.both());
    }
    static void others() {
        Tower0 t = new Tower0();
        ((Middle) (Object) t).middle = 12;
        ((Bottom) (Object) t).bottom = 8;
        attempt("up", () -> often(t::up));
        take("one between goes", Tower0.class, "Tower1");
        attempt("up", () -> often(t::up));
        System.out.println((Object) t instanceof Middle);
        Failure0 f = new Failure0();
        take("an exception", Failure0.class, "Failure1");
        try {
            throw (RuntimeException) (Object) f;
        } catch (RuntimeException e) {
            System.out.println((e == (Object) f) + " " + (e instanceof FailureTop));
        }
        Running0 r = new Running0();
        Running0.then = () -> take("within a method", Running0.class, "Running1");
        System.out.println(r.run());
        System.out.println(r.run());
    }

    public static void main(String[] args) throws Throwable {
        things();
        refused();
        stale();
        others();
    }
}
class Thing3 extends OldTop { // as it was at first
    int own = 3;
    Thing0 next;
    String who() { return "Thing " + own + " " + super.who(); }
    String both() { return who() + " " + old(); }
}
