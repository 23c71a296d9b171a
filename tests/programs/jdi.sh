#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A debugger written with JDI, as those of IDEs are, and what it is told: classes, events of all kinds with filters, frames, values of all types,
# methods invoked, returns forced, frames popped, monitors, objects collected, a class redefined, a debugger that leaves.
# @modes stress
# @timeout 120
set -eu
cat >Target.java <<'TEXT'
import java.util.function.Supplier;

public class Target<T extends Comparable<T>> {
    interface Shape {
        default String name() { return "shape"; }
        static int twice(int n) { return 2 * n; }
    }
    enum Color implements Shape { RED, GREEN { public String name(int n) { return "g" + n; } } }
    record Point(int x, long y) implements Shape { }
    static abstract class Abs { }
    static class Own extends RuntimeException { }
    static class SubOwn extends Own { }
    static class Late { static int n = 3; }

    static int total;
    static final Object lock = new Object();
    int field = 1;
    T generic;

    static void stop() { }
    boolean z() { return true; }
    byte b() { return -1; }
    char c() { return 'c'; }
    short s() { return -2; }
    int i() { return 3; }
    long j() { return 1L << 40; }
    float f() { return 1.5f; }
    double d() { return -2.5; }
    String a() { return "text"; }
    void fails() { throw new SubOwn(); }
    String all() { return "" + z() + b() + c() + s() + i() + j() + f() + d() + a(); }
    int types(boolean z, byte b, char c, short s, int i, long j, float f, double d, String a, Object o, int[] array) {
        stop();
        System.out.println("" + z + b + c + s + i + j + f + d + a.length() + o + array.length);
        return i;
    }
    static void throwing() {
        for (int n = 0; n < 3; n++) {
            try {
                throw new SubOwn();
            } catch (Own e) {
                total++;
            }
        }
    }
    static void fields(Target<?> one, Target<?> other) {
        one.field++;
        other.field = 5;
        total += one.field;
    }
    static void lambdas() {
        Supplier<Point> made = () -> new Point(1, 2);
        total += made.get().x;
        total += Late.n;
    }
    static String version() { return "old"; }
    static void redefined() {
        stop();
        System.out.println(version());
    }
    static void monitors() throws Exception {
        Thread t = new Thread(() -> {
            synchronized (lock) {
                total++;
            }
        }, "blocked");
        synchronized (lock) {
            t.start();
            while (t.getState() != Thread.State.BLOCKED)
                Thread.sleep(1);
            synchronized (Target.class) {
                stop();
            }
            lock.wait(1);
        }
        t.join();
        Thread ending = new Thread(() -> { }, "ending"); // needs its own monitor when it has been told of as dead
        synchronized (ending) {
            ending.start();
            while (ending.getState() != Thread.State.BLOCKED)
                Thread.sleep(1);
        }
        ending.join();
    }
    public static void main(String[] args) throws Exception {
        Target<String> one = new Target<>(), other = new Target<>();
        Object[] keep = {Color.RED, new Point(3, 4), new String[2][3]};
        stop();
        System.out.println(one.types(true, (byte) 1, 'x', (short) 2, 3, 4, 5, 6, "seven", keep, new int[8]));
        System.out.println(one.all());
        throwing();
        fields(one, other);
        lambdas();
        monitors();
        redefined();
        System.out.println("total " + total);
        Thread t = new Thread(one::fails, "dier");
        t.setUncaughtExceptionHandler((thread, e) -> System.out.println("uncaught " + e));
        t.start();
        t.join();
        stop();
        System.out.println("end");
    }
}
TEXT
cat >Debugger.java <<'TEXT'
import com.sun.jdi.*;
import com.sun.jdi.connect.*;
import com.sun.jdi.event.*;
import com.sun.jdi.request.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.Callable;
import java.util.stream.*;

public class Debugger {
    static VirtualMachine vm;
    static EventRequestManager requests;
    static ThreadReference main;
    static ClassType target;

    static String show(Object o) {
        if (o instanceof StringReference s)
            return '"' + s.value().replace("\0", "\\0").replace("\u20ac", "\\u20ac") + '"';
        if (o instanceof ArrayReference a)
            return a.type().name() + " of " + a.length();
        if (o instanceof ThreadReference t)
            return "thread " + t.name();
        if (o instanceof ObjectReference r)
            return "a " + r.type().name().replaceAll("0x.*", "");
        if (o instanceof Value v)
            return v.type() + " " + (v instanceof CharValue c ? (int) c.value() : v);
        if (o instanceof Location l)
            return l.declaringType().name().replaceAll("0x.*", "") + "." + l.method().name() + ":" + l.lineNumber();
        if (o instanceof StackFrame f)
            return show(f.location());
        if (o instanceof Collection<?> c)
            return c.stream().map(Debugger::show).collect(Collectors.joining(", ", "[", "]"));
        return String.valueOf(o);
    }
    static void t(String what, Callable<?> c) {
        try {
            System.out.println(what + ": " + show(c.call()));
        } catch (InvocationException e) {
            System.out.println(what + " threw " + show(e.exception()));
        } catch (Exception | LinkageError e) {
            System.out.println(what + ": " + e);
        }
    }
    static String show(Event e) {
        String s = e.getClass().getSimpleName().replace("EventImpl", "");
        if (e instanceof MonitorContendedEnterEvent || e instanceof MonitorContendedEnteredEvent) {
            LocatableEvent l = (LocatableEvent) e; // HotSpot shows the line behind, but that of the instruction in compiled code
            s += " " + l.thread().name() + " " + l.location().method();
        } else if (e instanceof LocatableEvent l)
            s += " " + l.thread().name() + " " + show(l.location());
        if (e instanceof MethodExitEvent x)
            s += " returns " + show(x.returnValue());
        if (e instanceof ExceptionEvent x)
            s += " " + show(x.exception()) + " to " + show(x.catchLocation());
        if (e instanceof WatchpointEvent w)
            s += " " + w.field().name() + " of " + show(w.object()) + " = " + show(w.valueCurrent());
        if (e instanceof ModificationWatchpointEvent w)
            s += " to " + show(w.valueToBe());
        if (e instanceof ClassPrepareEvent p)
            s += " " + p.referenceType().name().replaceAll("0x.*", "");
        return s;
    }
    static EventSet next() throws Exception {
        return Objects.requireNonNull(vm.eventQueue().remove(60000), "no event comes");
    }
    /** What main contends for with a thread that ends; on HotSpot also what a thread contends for that has ended. */
    static boolean isByChance(Event e) {
        return (e instanceof MonitorContendedEnterEvent || e instanceof MonitorContendedEnteredEvent)
            && (((LocatableEvent) e).location() == null || ((LocatableEvent) e).thread().equals(main));
    }
    /** Goes on to the next call of Target.stop and prints the events before it. */
    static void go() throws Exception {
        BreakpointRequest stop = requests.createBreakpointRequest(target.methodsByName("stop").get(0).location());
        stop.enable();
        for (boolean there = false; !there;) {
            vm.resume();
            EventSet set = next();
            there = set.stream().anyMatch(e -> e.request() == stop);
            if (!there && set.stream().allMatch(Debugger::isByChance))
                continue;
            if (!there || set.size() > 1)
                System.out.println("  " + set.stream().map(Debugger::show).collect(Collectors.joining(" + ")));
        }
        requests.deleteEventRequest(stop);
    }
    static <R extends EventRequest> R enable(R request) {
        request.enable();
        return request;
    }
    static ReferenceType type(String name) {
        return vm.classesByName(name).get(0);
    }
    static Method method(String type, String name) {
        return type(type).methodsByName(name).get(0);
    }
    static Value local(int frame, String name) throws Exception {
        StackFrame f = main.frame(frame);
        return f.getValue(f.visibleVariableByName(name));
    }

    static void classes() {
        for (String name : "Target Target$Shape Target$Color Target$Color$1 Target$Point java.lang.String[][]".split(" ")) {
            ReferenceType r = type(name);
            System.out.println("== " + name + " " + r.signature() + " " + r.genericSignature() + " " + r.modifiers() + " prepared " + r.isPrepared());
            t("fields", () -> r.fields().stream().map(f -> f.name() + " " + f.signature() + " " + f.genericSignature()).toList());
            t("methods", () -> r.methods().stream().map(m -> m.name() + m.signature() + " " + m.modifiers()).toList());
            t("lines", () -> r.allLineLocations().size());
            t("source", r::sourceName);
            t("version", () -> r.majorVersion() + "." + r.minorVersion());
            t("constants", r::constantPoolCount);
            t("instances", () -> r.instances(0));
        }
        t("counts", () -> Arrays.toString(vm.instanceCounts(List.of(target, type("Target$Point")))));
    }
    static void values() throws Exception {
        Value[] values = {vm.mirrorOf(false), vm.mirrorOf((byte) -9), vm.mirrorOf('\u20ac'), vm.mirrorOf((short) -99), vm.mirrorOf(-999),
            vm.mirrorOf(-1L << 50), vm.mirrorOf(0.25f), vm.mirrorOf(1e300), vm.mirrorOf("new\0\u20ac"), null, null};
        values[10] = ((ArrayType) type("int[]")).newInstance(4);
        List<LocalVariable> all = main.frame(1).visibleVariables();
        for (int n = 0; n < values.length; n++) {
            LocalVariable v = all.get(n);
            Value value = values[n];
            t(v.typeName() + " " + v.name() + " was", () -> main.frame(1).getValue(v));
            t("set", () -> {
                main.frame(1).setValue(v, value);
                return main.frame(1).getValue(v);
            });
        }
        t("wrong", () -> {
            main.frame(1).setValue(all.get(8), main.frame(1).thisObject());
            return "taken";
        });
        t("this", () -> main.frame(1).thisObject());
        t("static", () -> main.frame(0).thisObject());
    }
    static void invocations() throws Exception {
        ObjectReference one = (ObjectReference) local(1, "one");
        for (int how : new int[] {0, ObjectReference.INVOKE_SINGLE_THREADED | ObjectReference.INVOKE_NONVIRTUAL})
            for (String name : "z b c s i j f d a all fails toString".split(" "))
                t(name, () -> show(one.invokeMethod(main, target.methodsByName(name).isEmpty() ? method("java.lang.Object", name)
                    : method("Target", name), List.of(), how)).replaceAll("@\\w+", ""));
        t("default", () -> ((ObjectReference) ((ArrayReference) local(1, "keep")).getValue(1)).invokeMethod(main, method("Target$Shape", "name"), List.of(), 0));
        t("static", () -> ((InterfaceType) type("Target$Shape")).invokeMethod(main, method("Target$Shape", "twice"), List.of(vm.mirrorOf(21)), 0));
        t("forName", () -> ((ClassType) type("java.lang.Class")).invokeMethod(main, type("java.lang.Class").methodsByName("forName", "(Ljava/lang/String;)Ljava/lang/Class;").get(0),
            List.of(vm.mirrorOf("Target$Abs")), 0));
        t("abstract", () -> ((ClassType) type("Target$Abs")).newInstance(main, method("Target$Abs", "<init>"), List.of(), 0));
        ObjectReference kept = target.newInstance(main, method("Target", "<init>"), List.of(), 0), lost = target.newInstance(main, method("Target", "<init>"), List.of(), 0);
        kept.disableCollection();
        for (int n = 0; n < 2; n++)
            ((ClassType) type("java.lang.System")).invokeMethod(main, method("java.lang.System", "gc"), List.of(), 0);
        t("collected", () -> kept.isCollected() + " " + lost.isCollected());
        t("lost", () -> lost.getValue(target.fieldByName("field")));
        t("kept", () -> kept.getValue(target.fieldByName("field")));
        t("the same", () -> one.equals(local(1, "one")) + " " + (one.uniqueID() == ((ObjectReference) local(1, "one")).uniqueID()));
        t("referring", () -> ((ObjectReference) ((ArrayReference) local(1, "keep")).getValue(1)).referringObjects(0));
    }
    static void events() throws Exception {
        List<EventRequest> made = new ArrayList<>();
        MethodExitRequest exit = requests.createMethodExitRequest();
        exit.addClassFilter("Targ*");
        exit.addThreadFilter(main);
        made.add(enable(exit));
        MethodEntryRequest entry = requests.createMethodEntryRequest();
        entry.addClassFilter(target);
        made.add(enable(entry));
        made.add(enable(requests.createBreakpointRequest(method("Target", "j").location())));
        ExceptionRequest second = requests.createExceptionRequest(type("Target$Own"), true, false);
        second.addCountFilter(2);
        made.add(enable(second));
        made.add(enable(requests.createExceptionRequest(null, false, true)));
        AccessWatchpointRequest access = requests.createAccessWatchpointRequest(target.fieldByName("field"));
        access.addInstanceFilter((ObjectReference) local(main.frameCount() - 1, "one"));
        made.add(enable(access));
        made.add(enable(requests.createModificationWatchpointRequest(target.fieldByName("field"))));
        ClassPrepareRequest prepare = requests.createClassPrepareRequest();
        prepare.addClassFilter("*Late");
        made.add(enable(prepare));
        StepRequest step = requests.createStepRequest(main, StepRequest.STEP_LINE, StepRequest.STEP_OUT);
        step.addCountFilter(1);
        made.add(enable(step));
        MonitorWaitRequest wait = requests.createMonitorWaitRequest();
        wait.addThreadFilter(main);
        wait.addCountFilter(1);
        made.add(enable(wait));
        go();
        requests.deleteEventRequests(made.stream().filter(r -> r instanceof StepRequest || r instanceof MethodEntryRequest || r instanceof MethodExitRequest).toList());
        for (ThreadReference thread : vm.allThreads())
            if (thread.name().equals("blocked")) {
                t("status", thread::status);
                t("contended", thread::currentContendedMonitor);
                t("pop of a blocked thread", () -> {
                    thread.popFrames(thread.frame(0));
                    return "done";
                });
                t("return of a blocked thread", () -> {
                    thread.forceEarlyReturn(vm.mirrorOfVoid());
                    return "done";
                });
                t("in", () -> thread.frame(0).location().method().name()); // HotSpot shows the line behind
            }
        t("owned", () -> main.ownedMonitorsAndFrames().stream().map(m -> show(m.monitor()) + " " + m.stackDepth()).toList());
        ObjectReference lock = (ObjectReference) target.getValue(target.fieldByName("lock"));
        t("entries", () -> lock.entryCount() + " " + show(lock.owningThread()) + " " + show(lock.waitingThreads()));
        enable(requests.createMonitorContendedEnterRequest());
        enable(requests.createMonitorContendedEnteredRequest());
    }
    static void changes() throws Exception {
        byte[] code = Files.readAllBytes(Path.of("new/Target.class"));
        t("redefine", () -> {
            vm.redefineClasses(Map.of(target, code));
            return "done";
        });
        t("version", () -> target.invokeMethod(main, method("Target", "version"), List.of(), 0));
        t("obsolete", () -> main.frame(1).location().method().isObsolete());
        t("pop", () -> {
            main.popFrames(main.frame(1));
            return main.frames();
        });
        go();
        enable(requests.createBreakpointRequest(method("Target", "version").location()));
        vm.resume();
        next();
        t("return", () -> {
            main.forceEarlyReturn(vm.mirrorOf("forced"));
            return main.frame(0);
        });
        requests.deleteAllBreakpoints();
    }
    public static void main(String[] args) throws Exception {
        LaunchingConnector launcher = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> how = launcher.defaultArguments();
        how.get("home").setValue(args[0]);
        how.get("main").setValue("Target");
        how.get("options").setValue("-cp .");
        vm = launcher.launch(how);
        requests = vm.eventRequestManager();
        System.out.println(show(next().iterator().next()));
        Set<String> cannot = new TreeSet<>();
        for (java.lang.reflect.Method m : VirtualMachine.class.getMethods())
            if (m.getName().startsWith("can") && !(boolean) m.invoke(vm))
                cannot.add(m.getName());
        System.out.println("cannot " + cannot);
        ClassPrepareRequest prepare = requests.createClassPrepareRequest();
        prepare.addClassFilter("Target");
        prepare.enable();
        vm.resume();
        ClassPrepareEvent prepared = (ClassPrepareEvent) next().iterator().next();
        target = (ClassType) prepared.referenceType();
        main = prepared.thread();
        requests.deleteEventRequest(prepare);
        go();
        classes();
        invocations();
        go();
        values();
        events();
        go();
        changes();
        go();
        vm.suspend();
        vm.dispose(); // with requests, suspended twice: the program goes on
        System.out.print(new String(vm.process().getInputStream().readAllBytes()));
        System.err.print(new String(vm.process().getErrorStream().readAllBytes()));
        System.out.println("exit code " + vm.process().waitFor());
    }
}
TEXT
tools=$JAVA_HOME
if [[ $BUILD_TREE == */stress ]]; then
    tools=$PEER_HOME # a debugger that is stressed itself takes too long
fi
"$tools/bin/javac" -g Target.java Debugger.java
mkdir new
sed 's/"old"/"new"/' Target.java >new/Target.java
"$tools/bin/javac" -g -d new new/Target.java
"$tools/bin/java" -cp . Debugger "$JAVA_HOME"
