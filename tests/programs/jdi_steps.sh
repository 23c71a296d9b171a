#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where the steps of a debugger lead, by instruction and by line: into, over and out of calls, initializers, exceptions, finally, switches,
# lambdas, reflection, synchronized code, try with resources; those of a suspended thread; those that begin in an initializer.
# @timeout 120
set -eu
cat >Steps.java <<'TEXT'
import java.util.*;
import java.util.function.*;
public class Steps {
    static int total;
    static class Init1 { static int n; static { n = 1; total++; } static void m() { total++; } Init1() { total++; } }
    static class Init2 { static int n; static { n = 1; total++; } static void m() { total++; } }
    static class Init3 { static int n; static { n = 1; total++; } static void m() { total++; } Init3() {} }
    static class Init4 { static int n; static { n = 1; total++; } static void m() { total++; } }
    static class InitSuper { static int n; static { n = 1; total++; } }
    static class InitSub extends InitSuper { static int k; static { k = n; total++; } }
    static class InitF { static int n; static { if (total > 0) throw new RuntimeException("init"); n = 2; } }
    static class InitR { static int n; static { total++; } }
    static class InitN { static int n; static { total += InitN2.n; total++; } }
    static class InitN2 { static int n; static { total++; n = 3; } }
    enum E { A, B { int v() { return 2; } }; int v() { return 1; } }
    record R(int a, String b) { R { total++; } }
    static class Nest { private int p; private int get() { return p; } class Inner { int q = p + get(); } }
    interface I { default int d() { return s() + p(); } static int s() { return 1; } private int p() { return 2; } }
    static class Res implements AutoCloseable { Res() { total++; } public void close() { total--; } }
    static void stop() { }
    static int clinits() throws Exception {
        Init1.m();
        int a = Init2.n;
        Init3 c = new Init3();
        Init4.n = 4;
        int d = InitSub.k;
        try {
            total += InitF.n;
        } catch (ExceptionInInitializerError e) {
            total++;
        }
        Class.forName("Steps$InitR");
        total += InitN.n;
        return a + d;
    }
    static int fac(int n) {
        if (n <= 1)
            return 1;
        return n * fac(n - 1);
    }
    static void deep(int n) {
        if (n == 0)
            throw new IllegalStateException("deep");
        deep(n - 1);
    }
    static int fin(int n) {
        try {
            if (n == 1)
                return 1;
            if (n == 2)
                throw new RuntimeException("two");
            total++;
        } catch (RuntimeException e) {
            return 2;
        } finally {
            total += 10;
        }
        return 3;
    }
    static int sw(String s) {
        switch (s) {
        case "one": return 1;
        case "two": return 2;
        default: return 3;
        }
    }
    static int newsw(Object o, E e) {
        return switch (e) {
        case A -> o instanceof String s ? s.length() : 0;
        case B -> { total++; yield e.v(); }
        };
    }
    static void lambdas() {
        Runnable r = () -> total++;
        r.run();
        Supplier<Steps> made = Steps::new;
        made.get();
        Function<String, Integer> len = String::length;
        total += len.apply("abc");
        List<Integer> l = Arrays.asList(3, 1, 2);
        l.forEach(x -> total += x);
        l.stream().map(x -> {
            int y = x + 1;
            return y;
        }).forEach(x -> { total += x; });
        String s = "a" + total + l.size();
        IntBinaryOperator op = Steps::add;
        total += op.applyAsInt(1, 2);
    }
    static int add(int a, int b) { return a + b; }
    static void reflective() throws Exception {
        Object o = Steps.class.getDeclaredMethod("add", int.class, int.class).invoke(null, 1, 2);
        System.arraycopy(new int[1], 0, new int[1], 0, 1);
        Object x = Steps.class.getDeclaredConstructor().newInstance();
        Thread.yield();
    }
    static synchronized int sync(int n) {
        synchronized (Steps.class) {
            total += n;
        }
        return total;
    }
    static void twr() throws Exception {
        try (Res a = new Res(); Res b = new Res()) {
            total++;
        }
        try (Res a = new Res()) {
            throw new Exception("x");
        } catch (Exception e) {
            total++;
        }
    }
    static void misc() {
        R r = new R(1, "b");
        r.equals(new R(1, "b"));
        String s = r.toString();
        total += r.hashCode();
        total = 5;
        Nest n = new Nest();
        Nest.Inner i = n.new Inner();
        I ii = new I() { };
        total += ii.d();
        E e = E.valueOf("B");
        newsw("str", E.A);
        newsw("str", e);
        int[][] m = new int[2][3];
        m[1][2] = 3;
        for (int k = 0; k < 2; k++)
            total += m[1][k];
        new Object() { void hi() { total++; } }.hi();
    }
    static void exceptions() {
        try {
            deep(2);
        } catch (IllegalStateException e) {
            total++;
        }
        try {
            Object o = null;
            o.hashCode();
        } catch (NullPointerException e) {
            total++;
        }
        try {
            Integer.parseInt("x");
        } catch (NumberFormatException e) {
            total++;
        }
        fin(1);
        fin(2);
        fin(3);
    }
    static void all() throws Exception {
        clinits();
        total += fac(3);
        exceptions();
        sw("two");
        sw("three");
        misc();
        lambdas();
        reflective();
        sync(2);
        twr();
        stop();
    }
    static volatile boolean spins = true, started;
    static int spin() {
        int n = 0;
        started = true;
        while (spins)
            n++;
        return n;
    }
    public static void main(String[] args) throws Exception {
        Thread spinner = new Thread(Steps::spin, "spinner");
        all();
        spinner.start();
        while (!started)
            Thread.sleep(1);
        stop();
        spinner.join();
        System.out.println("end " + total);
    }
}
TEXT
cat >Stepper.java <<'TEXT'
import com.sun.jdi.*;
import com.sun.jdi.connect.*;
import com.sun.jdi.event.*;
import com.sun.jdi.request.*;
import java.util.*;

public class Stepper {
    static VirtualMachine vm;
    static EventRequestManager requests;
    static ThreadReference main;

    static String show(Location l) {
        return (l.declaringType().name() + "." + l.method().name()).replaceAll("0x.*?\\.", ".").replaceAll("Lambda\\$\\d+", "Lambda") + ":"
            + l.lineNumber() + "@" + l.codeIndex();
    }
    static Event next() throws Exception {
        return Objects.requireNonNull(vm.eventQueue().remove(60000), "no event comes").iterator().next();
    }
    /** Goes on to the next event of a thread and shows where that is. */
    static Location go() throws Exception {
        vm.resume();
        LocatableEvent e = (LocatableEvent) next();
        System.out.println("  " + e.getClass().getSimpleName().replace("EventImpl", "") + " " + show(e.location()) + " " + e.thread().frameCount());
        return e.location();
    }
    static void goTo(Method m) throws Exception {
        BreakpointRequest b = requests.createBreakpointRequest(m.location());
        b.enable();
        go();
        requests.deleteEventRequest(b);
    }
    static StepRequest step(ThreadReference t, int size, int depth) {
        StepRequest s = requests.createStepRequest(t, size, depth);
        for (String filter : "java.* jdk.* sun.*".split(" "))
            s.addClassExclusionFilter(filter);
        s.enable();
        return s;
    }
    static void start() throws Exception {
        LaunchingConnector launcher = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> how = launcher.defaultArguments();
        how.get("main").setValue("Steps");
        how.get("options").setValue("-cp .");
        vm = launcher.launch(how);
        requests = vm.eventRequestManager();
        next();
        ClassPrepareEvent e = (ClassPrepareEvent) prepared("Steps");
        main = e.thread();
        goTo(e.referenceType().methodsByName("all").get(0));
    }
    static Event prepared(String name) throws Exception {
        ClassPrepareRequest p = requests.createClassPrepareRequest();
        p.addClassFilter(name);
        p.enable();
        vm.resume();
        Event e = next();
        requests.deleteEventRequest(p);
        return e;
    }
    /** Steps from `all` to the end of `all`. */
    static void through(int size, int depth) throws Exception {
        System.out.println("== steps of size " + size + ", depth " + depth);
        StepRequest s = step(main, size, depth);
        while (!go().method().name().equals("main"))
            ;
        requests.deleteEventRequest(s);
    }
    /** A step from where a thread happens to be suspended leads away from there. */
    static void suspended(int depth) throws Exception {
        goTo(vm.classesByName("Steps").get(0).methodsByName("stop").get(0));
        ThreadReference spinner = vm.allThreads().stream().filter(t -> t.name().equals("spinner")).findFirst().get();
        int same = 0;
        for (int n = 0; n < 20; n++) {
            spinner.resume();
            Thread.sleep(1);
            spinner.suspend();
            Location from = spinner.frame(0).location();
            StepRequest s = step(spinner, StepRequest.STEP_MIN, depth);
            vm.resume();
            same += ((StepEvent) next()).location().equals(from) ? 1 : 0;
            requests.deleteEventRequest(s);
        }
        System.out.println("of 20 steps of a suspended thread led nowhere: " + same);
    }
    static void end() throws Exception {
        ReferenceType steps = vm.classesByName("Steps").get(0);
        ((ClassType) steps).setValue(steps.fieldByName("spins"), vm.mirrorOf(false));
        vm.dispose();
        System.out.print(new String(vm.process().getInputStream().readAllBytes()));
        System.err.print(new String(vm.process().getErrorStream().readAllBytes()));
        System.out.println("exit code " + vm.process().waitFor());
    }
    /** Steps that begin at a breakpoint in the initializer of a class. */
    static void initializers() throws Exception {
        for (String name : "Init1 Init2 Init3 Init4 InitSuper".split(" ")) {
            System.out.println("== " + name);
            ReferenceType c = ((ClassPrepareEvent) prepared("Steps$" + name)).referenceType();
            goTo(c.methodsByName("<clinit>").get(0));
            StepRequest s = step(main, StepRequest.STEP_MIN, StepRequest.STEP_OVER);
            while (go().method().name().equals("<clinit>"))
                ;
            requests.deleteEventRequest(s);
        }
    }
    public static void main(String[] args) throws Exception {
        for (int size : new int[] {StepRequest.STEP_MIN, StepRequest.STEP_LINE})
            for (int depth = StepRequest.STEP_INTO; depth <= StepRequest.STEP_OUT; depth++) {
                start();
                through(size, depth);
                if (size == StepRequest.STEP_MIN && depth != StepRequest.STEP_OUT)
                    suspended(depth);
                end();
            }
        start();
        initializers();
        end();
    }
}
TEXT
javac -g Steps.java Stepper.java
java -cp . Stepper
