// SPDX-License-Identifier: Apache-2.0
// -XX:+AllowEnhancedClassRedefinition: methods of any kind come, go and change their modifiers, in classes, interfaces and what is below
// them; calls that were resolved, quickened and compiled before, handles, lambdas, reflection and frames see what is there.
// @agent ti_redefine
// @only pellucid
// @flags -XX:+AllowEnhancedClassRedefinition
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

class Top00 {
    String one() { return "Top.one"; }
    String two() { return "Top.two"; }
    String all() { return one() + " " + two(); }
    static String fixed() { return "Top.fixed"; }
}
class Top01 { // a virtual method in front, which Low has already; one less
    String low() { return "Top1.low"; }
    String one() { return "Top1.one"; }
    String all() { return one() + " " + low(); }
    static String fixed() { return "Top1.fixed"; }
}
class Top02 { // final where Mid overrides
    final String one() { return "Top2.one"; }
    String two() { return "Top2.two"; }
    String all() { return one() + " " + two(); }
    static String fixed() { return "Top2.fixed"; }
}
class Mid00 extends Top00 {
    String one() { return "Mid.one>" + super.one(); }
}
class Mid01 extends Top00 { // overrides what Top has, hides what is static, does not override any more
    String two() { return "Mid1.two>" + super.two(); }
    static String fixed() { return "Mid1.fixed"; }
    public String toString() { return "a Mid1"; }
    public int hashCode() { return 7; }
}
class Mid02 extends Top00 { // other modifiers
    protected String one() { return "Mid2.one"; }
    public synchronized String two() { return "Mid2.two"; }
    String mine() { return one(); }
}
class Low00 extends Mid00 {
    String low() { return "Low.low"; }
    String sup() { return super.one() + "|" + super.two(); }
    static String hidden() { return fixed(); }
}

interface Face00 {
    String a();
    default String b() { return "Face.b " + a(); }
}
interface Face01 { // a default method in front, one that is not default any more, a static one
    default String z() { return "Face1.z " + a(); }
    String a();
    String b();
    static String st() { return "Face1.st"; }
}
interface Face02 { // a becomes default: of a class that has it that of the class
    default String a() { return "Face2.a"; }
    default String b() { return "Face2.b " + a(); }
    private String p() { return "p"; }
    default String c() { return "Face2.c " + p(); }
}
class Impl00 implements Face00 {
    public String a() { return "Impl.a"; }
}
class Impl01 implements Face00 {
    public String a() { return "Impl1.a"; }
    public String b() { return "Impl1.b"; }
    public String c() { return "Impl1.c"; }
}

class Mod00 {
    static String who() { return "static"; }
    String me() { return "me"; }
    static String call(Mod00 m) { return who() + " " + m.me(); }
}
class Mod01 {
    String who() { return "instance"; }
    static String me() { return "static me"; }
    static String call(Mod01 m) { return m.who() + " " + me(); }
}
abstract class Mod02 {
    static String who() { return "static2"; }
    String me() { return "me2"; }
    static String call(Mod02 m) { return who() + " " + m.me(); }
}
final class Mod03 {
    static String who() { return "static3"; }
    String me() { return "me3"; }
    static String call(Mod03 m) { return who() + " " + m.me(); }
}
class ModUser {
    static Mod00 make() { return new Mod00(); }
    static String who() { return Mod00.who(); }
    static String me(Mod00 m) { return m.me(); }
}

class Turn00 {
    int step(int i) { return i + 1; }
    int both(int i) { return step(i) + extra(i); }
    int extra(int i) { return 10; }
    static int begun(Runnable r, int depth) {
        if (depth > 0)
            return begun(r, depth - 1) + 1;
        r.run();
        return new Turn00().both(0);
    }
}
class Turn01 {
    int more(int i) { return 100; }
    int step(int i) { return i + 2; }
    int both(int i) { return step(i) + more(i); }
    int extra(int i) { return 20; }
    static int begun(Runnable r, int depth) { return -1; }
}
class TurnLow00 extends Turn00 {
    int more(int i) { return 1000; }
    int step(int i) { return super.step(i) + 5; }
}

public class EnhancedMethods extends Redefiner {
    static void attempt(String what, Callable<?> r) {
        try {
            System.out.println("  " + what + ": " + r.call());
        } catch (Throwable e) {
            Throwable t = e instanceof java.lang.reflect.InvocationTargetException ? e.getCause() : e;
            System.out.println("  " + what + ": threw " + t.toString().replaceAll("Lambda\\S+", "Lambda"));
        }
    }
    static String methods(Class<?> c) {
        TreeSet<String> all = new TreeSet<>();
        for (Method m : c.getDeclaredMethods())
            all.add(java.lang.reflect.Modifier.toString(m.getModifiers()) + " " + m.getName());
        return all.toString();
    }
    static MethodHandle find(Class<?> c, String name, Class<?> result) throws Exception {
        return MethodHandles.lookup().findVirtual(c, name, MethodType.methodType(result));
    }

    static final Top00[] objects = {new Top00(), new Mid00(), new Low00()};

    static String callAll(Top00 t) { return t.all(); }
    static String callOne(Top00 t) { return t.one(); }
    static String callTwo(Top00 t) { return t.two(); }

    static void showTree() throws Exception {
        MethodHandle all = find(Top00.class, "all", String.class);
        for (Top00 t : objects) {
            attempt(t.getClass().getName() + ".all", () -> often(() -> callAll(t)));
            attempt("one", () -> often(() -> callOne(t)));
            attempt("two", () -> often(() -> callTwo(t)));
            attempt("handle", () -> callHandle(all, t));
        }
        attempt("low", () -> often(((Low00) objects[2])::low));
        attempt("super", () -> often(((Low00) objects[2])::sup));
        attempt("static", () -> often(Low00::hidden));
        attempt("methods", () -> methods(Top00.class) + methods(Mid00.class));
    }
    static String callHandle(MethodHandle h, Top00 t) throws Exception {
        try {
            return (String) h.invokeExact(t);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
    static void tree() throws Exception {
        showTree();
        MethodHandle two = find(Top00.class, "two", String.class);
        Method old = Top00.class.getDeclaredMethod("two");
        System.out.println("Top: a method in front, one gone: " + become(Top00.class, "Top01"));
        showTree();
        attempt("a handle of what is gone", () -> callHandle(two, objects[0]));
        attempt("its Method", () -> old.invoke(objects[0]));
        System.out.println("Mid, which calls and overrides others: " + become(Mid00.class, "Mid01"));
        showTree();
        System.out.println("Top as before: " + become(Top00.class, "Top00"));
        showTree();
        attempt("the handle", () -> callHandle(two, objects[1]));
        attempt("its Method", () -> old.invoke(objects[1]));
        attempt("toString, hashCode", () -> objects[1] + " " + objects[2].hashCode());
        System.out.println("Mid: other modifiers: " + become(Mid00.class, "Mid02"));
        showTree();
        System.out.println("Mid as before: " + become(Mid00.class, "Mid00"));
        System.out.println("Top: final where it is overridden: " + become(Top00.class, "Top02"));
        showTree();
        System.out.println("both at once: " + redefine(new Class<?>[] {Top00.class, Mid00.class}, new byte[][] {as(Top00.class, "Top02"), as(Mid00.class, "Mid01")}));
        attempt("all", () -> often(() -> callAll(objects[2])));
        System.out.println("Mid overrides a final method: " + become(Mid00.class, "Mid00"));
        System.out.println("both as before: " + redefine(new Class<?>[] {Mid00.class, Top00.class}, new byte[][] {as(Mid00.class, "Mid00"), as(Top00.class, "Top00")}));
        showTree();
    }

    static String callA(Face00 f) { return f.a(); }
    static String callB(Face00 f) { return f.b(); }
    static void showFaces(Face00[] all) {
        for (int i = 0; i < all.length; i++) {
            Face00 f = all[i];
            attempt(i + ".a", () -> often(() -> callA(f)));
            attempt("b", () -> often(() -> callB(f)));
            for (String name : new String[] {"z", "c"})
                attempt(name, () -> Face00.class.getMethod(name).invoke(f));
        }
        attempt("methods", () -> methods(Face00.class) + methods(Impl00.class));
    }
    static void faces() {
        Face00 lambda = () -> "lambda";
        Face00[] all = {new Impl00(), lambda};
        showFaces(all);
        for (String name : new String[] {"Face01", "Face02", "Face00"}) {
            System.out.println(name + ": " + become(Face00.class, name));
            showFaces(all);
        }
        System.out.println("Impl01: " + become(Impl00.class, "Impl01"));
        showFaces(all);
        System.out.println("Face02: " + become(Face00.class, "Face02"));
        showFaces(all);
        Face00 later = () -> "later";
        attempt("a lambda made now", () -> later.a() + " " + later.b());
    }

    static void modifiers() {
        Mod00 object = ModUser.make();
        for (String name : new String[] {"Mod00", "Mod01", "Mod02", "Mod03", "Mod00"}) {
            System.out.println(name + ": " + become(Mod00.class, name) + " " + java.lang.reflect.Modifier.toString(Mod00.class.getModifiers()));
            attempt("call", () -> often(() -> Mod00.call(object)));
            attempt("who", () -> often(ModUser::who));
            attempt("me", () -> often(() -> ModUser.me(object)));
            attempt("new", () -> often(() -> ModUser.make().getClass().getName()));
        }
        System.out.println("final with a subclass: " + redefine(Turn00.class, finalOf("Turn00")));
    }
    static byte[] finalOf(String name) { // its access flags are behind its constant pool
        byte[] b = file(name).clone();
        int at = 10, count = (b[8] & 0xff) << 8 | b[9] & 0xff;
        for (int i = 1; i < count; i++)
            switch (b[at]) {
            case 1: at += 3 + ((b[at + 1] & 0xff) << 8 | b[at + 2] & 0xff); break;
            case 5: case 6: at += 9; i++; break;
            case 7: case 8: case 16: case 19: case 20: at += 3; break;
            case 15: at += 4; break;
            default: at += 5;
            }
        b[at + 1] |= 0x10;
        return b;
    }

    static void frames() {
        System.out.println(Turn00.begun(() -> System.out.println("in frames: " + become(Turn00.class, "Turn01")), 3));
        System.out.println(new Turn00().both(1) + " " + new TurnLow00().both(1));
        System.out.println(become(Turn00.class, "Turn00") + " " + new Turn00().both(1) + " " + new TurnLow00().both(1));
    }

    static void threads() throws Exception {
        AtomicBoolean end = new AtomicBoolean();
        TreeSet<String> wrong = new TreeSet<>();
        Thread[] all = new Thread[4];
        for (int t = 0; t < all.length; t++) {
            Turn00 object = t % 2 == 0 ? new Turn00() : new TurnLow00();
            TreeSet<Integer> right = new TreeSet<>(t % 2 == 0
                ? java.util.List.of(11, 12, 21, 22, 101, 102) // there may be a redefinition before each call
                : java.util.List.of(16, 17, 26, 27, 1006, 1007));
            all[t] = new Thread(() -> {
                while (!end.get()) {
                    int got;
                    try {
                        got = object.both(0);
                    } catch (Throwable e) {
                        synchronized (wrong) { wrong.add(e.toString()); }
                        continue;
                    }
                    if (!right.contains(got))
                        synchronized (wrong) { wrong.add(object.getClass() + ": " + got); }
                }
            });
            all[t].start();
        }
        int done = 0;
        for (int i = 0; i < 40; i++) {
            done += become(Turn00.class, i % 2 == 0 ? "Turn01" : "Turn00") == 0 ? 1 : 0;
            Thread.sleep(5);
        }
        end.set(true);
        for (Thread t : all)
            t.join();
        wrong.removeIf(s -> s.contains("NoSuchMethodError")); // of a frame of the one version that calls what the other has not
        System.out.println("turns " + done + ", wrong " + wrong);
    }

    static void command(String mode) throws Exception {
        System.out.print(ManagementFactory.getPlatformMBeanServer().invoke(new javax.management.ObjectName("com.sun.management:type=DiagnosticCommand"),
            "jvmtiEnhancedRedefinition", new Object[] {mode == null ? new String[0] : new String[] {mode}}, new String[] {String[].class.getName()}));
    }
    static void switched() throws Exception {
        command("off");
        System.out.println(become(Top00.class, "Top01") + " " + become(Face00.class, "Face01") + " " + become(Mod00.class, "Mod03"));
        command("sometimes");
        command(null);
        command("on");
    }

    public static void main(String[] args) throws Exception {
        switched();
        tree();
        faces();
        modifiers();
        frames();
        threads();
    }
}
