#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a debugger is told of classes by what their class files say of their sources: SourceDebugExtension with one stratum, with two, empty,
# malformed, with any characters; no debug information at all, or only lines, variables or sources. Then steps through all of them.
# @timeout 120
set -eu
cat >Page.java <<'TEXT'
public class Page {
    static int run(int n, String s) {
        int a = n + 1;
        String b = s + a;
        if (a > 3) {
            a = other(a);
        } else {
            a = 7;
        }
        for (int i = 0; i < 2; i++)
            a += i;
        return a + b.length();
    }
    static int other(int x) {
        long wide = x * 2L;
        double d = wide;
        return (int) d;
    }
}
TEXT
for name in Two Empty Bad Wide None Lines Vars Source; do
    sed "s/class Page/class $name/" Page.java >$name.java
done
cat >NoneMain.java <<'TEXT'
import java.util.function.*;
public class NoneMain {
    interface Shape { int area(int n); default int twice(int n) { return 2 * area(n); } }
    record Square(int side) implements Shape { public int area(int n) { return side * n; } }
    int f;
    synchronized int inst(int a, long b, Object c) { f = a; return other(a, b, c); }
    int other(int a, long b, Object c) { return a + (int) b; }
    static int run(int n) {
        IntUnaryOperator o = x -> x + n;
        try { new NoneMain().inst(n, 2L, null); throw new RuntimeException(); } catch (RuntimeException e) { n(n); }
        return o.applyAsInt(3) + new Square(2).twice(n);
    }
    static void n(int k) { int q = k; q++; }
}
TEXT
cat >Main.java <<'TEXT'
public class Main {
    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int n = 1; n < 4; n += 2) {
            sum += Page.run(n, "p");
            sum += Two.run(n, "t");
            sum += Empty.run(n, "e");
            sum += Bad.run(n, "b");
            sum += Wide.run(n, "w");
            sum += None.run(n, "n");
            sum += Lines.run(n, "l");
            sum += Vars.run(n, "v");
            sum += Source.run(n, "s");
            sum += NoneMain.run(n);
        }
        System.out.println(sum);
    }
}
TEXT
cat >Make.java <<'TEXT'
import java.nio.file.*;
import jdk.internal.org.objectweb.asm.*;

/** Gives class files another SourceFile and a SourceDebugExtension: Make FILE source smap ... */
public class Make {
    static byte[] with(byte[] file, String source, String smap) {
        ClassReader r = new ClassReader(file);
        ClassWriter w = new ClassWriter(0);
        r.accept(new ClassVisitor(Opcodes.ASM8, w) {
            @Override public void visitSource(String s, String d) { super.visitSource(source, smap); }
        }, 0);
        return w.toByteArray();
    }
    public static void main(String[] args) throws Exception {
        String page = "SMAP\nPage.java\nJSP\n*S JSP\n*F\n+ 0 page.jsp\nweb/page.jsp\n1 part.jsp\n*L\n1,5:3\n10#1:8,3\n20#0,2:11\n*E\n";
        String two = "SMAP\nTwo.java\nKotlin\n*S Kotlin\n*F\n1 Two.kt\n*L\n100#1,4:3,2\n*S Other\n*F\n1 other.x\n*L\n7#1:5\n*E\n";
        String[][] all = {{"Page", "Page.java", page}, {"Two", "Two.java", two}, {"Empty", "Empty.java", ""}, {"Bad", "Bad.java", "SMAP\ngarbage"},
            {"Wide", null, "SMAP\nW\u20ac\0\ud83d\ude00.java\nX\n*S X\n*F\n1 w\u20ac\n*L\n1#1:3\n*E\n"}, {"None", null, null}};
        for (String[] one : all) {
            Path p = Path.of(one[0] + ".class");
            Files.write(p, with(Files.readAllBytes(p), one[1], one[2]));
        }
    }
}
TEXT
cat >Debugger.java <<'TEXT'
import com.sun.jdi.*;
import com.sun.jdi.connect.*;
import com.sun.jdi.event.*;
import com.sun.jdi.request.*;
import java.util.*;
import java.util.concurrent.Callable;
import java.util.stream.*;

public class Debugger {
    static VirtualMachine vm;
    static EventRequestManager requests;
    static ThreadReference main;
    static final String[] STRATA = {null, "Java", "JSP", "Kotlin", "Other", "X", "nothing"};

    static String show(Object o) {
        if (o instanceof Location l)
            return l.declaringType().name().replaceAll("0x.*", "") + "." + l.method().name() + "@" + l.codeIndex();
        if (o instanceof LocalVariable v)
            return v.typeName() + " " + v.name() + " " + v.isArgument();
        if (o instanceof Collection<?> c)
            return c.stream().map(Debugger::show).collect(Collectors.joining(", ", "[", "]"));
        if (o instanceof StringReference s) return '"' + s.value() + '"';
        if (o instanceof ObjectReference r) return "a " + r.type().name().replaceAll("0x.*", "");
        return String.valueOf(o).replaceAll("[^ -~]", "#");
    }
    static void t(String what, Callable<?> c) {
        String said;
        try {
            said = show(c.call());
        } catch (Exception | Error e) {
            said = e.toString().replaceAll("[^ -~]", "#");
        }
        System.out.println("  " + what + ": " + said);
    }
    static void describe(ReferenceType r) {
        System.out.println("== " + r.name());
        t("extension", r::sourceDebugExtension);
        t("source", r::sourceName);
        t("default stratum", r::defaultStratum);
        t("strata", r::availableStrata);
        for (String s : STRATA) {
            t(s + " names", () -> r.sourceNames(s));
            t(s + " paths", () -> r.sourcePaths(s));
            t(s + " lines", () -> r.allLineLocations(s, null).stream().map(l -> line(l, s) + "@" + show(l)).toList());
            for (String name : new String[] {"page.jsp", "part.jsp", "Two.kt", "other.x", "Page.java"})
                t(s + " lines of " + name, () -> r.allLineLocations(s, name).size());
            for (int line : new int[] {-1, 0, 1, 3, 5, 7, 10, 11, 100, 102})
                t(s + " line " + line, () -> r.locationsOfLine(s, null, line));
        }
        for (Method m : r.methods()) {
            t(m + " lines", m::allLineLocations);
            t(m + " line 4", () -> m.locationsOfLine(4));
            t(m + " variables", m::variables);
            t(m + " arguments", m::arguments);
            t(m + " n", () -> m.variablesByName("n"));
            t(m + " location", m::location);
            t(m + " names", () -> m.argumentTypeNames());
            t(m + " bytecodes", () -> m.bytecodes().length);
        }
    }
    static int number(Location l, String s) {
        try { return l.lineNumber(s); } catch (InternalError e) { return -2; }
    }
    static String line(Location l, String s) {
        String name;
        try { name = l.sourceName(s); } catch (AbsentInformationException e) { name = "-"; }
        String path;
        try { path = l.sourcePath(s); } catch (AbsentInformationException e) { path = "-"; }
        return (name + " " + path + ":" + l.lineNumber(s)).replaceAll("[^ -~]", "#");
    }
    static void frame() throws Exception {
        StackFrame f = main.frame(0);
        t("frame", () -> f.location());
        for (String s : STRATA)
            t("at " + s, () -> line(f.location(), s));
        t("visible", f::visibleVariables);
        t("n", () -> f.visibleVariableByName("n"));
        t("values", () -> f.getValues(f.visibleVariables()).values().stream().map(Debugger::show).sorted().toList());
        t("arguments", f::getArgumentValues);
        t("this", f::thisObject);
    }
    static Event next() throws Exception {
        return Objects.requireNonNull(vm.eventQueue().remove(60000), "no event comes").iterator().next();
    }
    static void steps(int size, int depth) throws Exception {
        StepRequest s = requests.createStepRequest(main, size, depth);
        for (String filter : "java.* jdk.* sun.*".split(" "))
            s.addClassExclusionFilter(filter);
        s.enable();
        System.out.println("== steps " + size + " " + depth);
        for (int n = 0; n < 400; n++) {
            vm.resume();
            Event e = next();
            if (!(e instanceof StepEvent st)) {
                System.out.println("  " + e.getClass().getSimpleName().replace("EventImpl", ""));
                return;
            }
            StringBuilder b = new StringBuilder();
            for (String stratum : STRATA)
                b.append(' ').append(number(st.location(), stratum));
            System.out.println("  " + show(st.location()) + b + " " + st.thread().frameCount());
            if (st.location().method().name().equals("main") && st.location().method().declaringType().name().equals("Main") && n > 300)
                break;
        }
        requests.deleteEventRequest(s);
    }
    static ReferenceType prepared(String name) throws Exception {
        ClassPrepareRequest p = requests.createClassPrepareRequest();
        p.addClassFilter(name);
        p.enable();
        vm.resume();
        ClassPrepareEvent e = (ClassPrepareEvent) next();
        main = e.thread();
        requests.deleteEventRequest(p);
        return e.referenceType();
    }
    static void start() throws Exception {
        LaunchingConnector launcher = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> how = launcher.defaultArguments();
        how.get("main").setValue("Main");
        how.get("options").setValue("-cp .");
        vm = launcher.launch(how);
        requests = vm.eventRequestManager();
        next();
    }
    static final String[] CLASSES = "Page Two Empty Bad Wide None Lines Vars Source NoneMain".split(" ");
    public static void main(String[] args) throws Exception {
        start();
        prepared("Main");
        for (String c : CLASSES) {
            ReferenceType r = prepared(c);
            describe(r);
            BreakpointRequest b = requests.createBreakpointRequest(r.methodsByName("run").get(0).location());
            b.enable();
            vm.resume();
            next();
            frame();
            requests.deleteEventRequest(b);
            for (String s : STRATA) {
                vm.setDefaultStratum(s);
                t("with default " + s, () -> r.allLineLocations().size() + " " + r.sourceName() + " " + r.sourceNames(null) + " " + main.frame(0).location().lineNumber());
            }
            vm.setDefaultStratum(null);
        }
        BreakpointRequest b = requests.createBreakpointRequest(vm.classesByName("NoneMain").get(0).methodsByName("other").get(0).location());
        b.enable();
        vm.resume();
        next();
        frame();
        t("pop", () -> { main.popFrames(main.frame(0)); return main.frame(0).location(); });
        t("values", () -> main.frame(0).getArgumentValues());
        vm.resume();
        next();
        t("values", () -> main.frame(0).getArgumentValues());
        vm.dispose();
        System.out.print(new String(vm.process().getInputStream().readAllBytes()));
        for (int size : new int[] {StepRequest.STEP_MIN, StepRequest.STEP_LINE})
            for (int depth = StepRequest.STEP_INTO; depth <= StepRequest.STEP_OUT; depth++) {
                start();
                ReferenceType r = prepared("Main");
                BreakpointRequest m = requests.createBreakpointRequest(r.methodsByName("main").get(0).location());
                m.enable();
                vm.resume();
                next();
                steps(size, depth);
                vm.process().destroyForcibly();
            }
    }
}
TEXT
asm=(--add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED)
javac -g "${asm[@]}" Make.java Debugger.java Main.java Page.java Two.java Empty.java Bad.java Wide.java
javac -g:none None.java NoneMain.java
javac -g:lines Lines.java
javac -g:vars Vars.java
javac -g:source Source.java
java "${asm[@]}" -cp . Make
java -cp . Debugger
