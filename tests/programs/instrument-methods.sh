#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# java.lang.instrument adds methods and lambda expressions to classes in use and takes them away, with
# -XX:+AllowRedefinitionToAddDeleteMethods and without it.
set -eu
mkdir -p few many
cat >Agent.java <<'TEXT'
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.function.Supplier;

public class Agent {
    static Instrumentation inst;
    static volatile String folder;

    public static void premain(String options, Instrumentation i) {
        inst = i;
    }

    static byte[] file(String folder) throws Exception {
        return Files.readAllBytes(Path.of(folder, "Subject.class"));
    }

    static class Chooser implements ClassFileTransformer {
        public byte[] transform(ClassLoader loader, String name, Class<?> c, ProtectionDomain domain, byte[] file) {
            try {
                return "Subject".equals(name) && folder != null ? file(folder) : null;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void show(String what) {
        System.out.println(what + ": " + Subject.text("x"));
        Arrays.stream(Subject.class.getDeclaredMethods()).map(Object::toString).sorted().forEach(m -> System.out.println("  " + m));
        for (Supplier<String> s : Subject.made)
            try {
                System.out.println("  made " + s.get());
            } catch (NoSuchMethodError e) {
                System.out.println("  made " + e);
            }
    }

    static void attempt(String what, java.util.concurrent.Callable<?> step) {
        try {
            step.call();
        } catch (Throwable t) {
            System.out.println(what + ": " + t);
        }
        show(what);
    }

    static Object redefine(String folder) throws Exception {
        inst.redefineClasses(new ClassDefinition(Subject.class, file(folder)));
        return null;
    }

    static Object retransform(String to) throws Exception {
        folder = to;
        inst.retransformClasses(Subject.class);
        return null;
    }

    public static void main(String[] args) throws Exception {
        show("at first");
        attempt("redefined, more", () -> redefine("many"));
        attempt("redefined, fewer", () -> redefine("few"));
        attempt("redefined, more", () -> redefine("many"));
        attempt("redefined, fewer", () -> redefine("few"));
        inst.addTransformer(new Chooser(), true);
        attempt("retransformed, more", () -> retransform("many"));
        attempt("retransformed, as it was", () -> retransform(null));
        attempt("retransformed, more", () -> retransform("many"));
        attempt("redefined and retransformed, more", () -> redefine("few"));
        attempt("retransformed, as it was", () -> retransform(null));
        System.out.println(Subject.initialized);
    }
}
TEXT
cat >few/Subject.java <<'TEXT'
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

class Subject {
    static int initialized;
    static final List<Supplier<String>> made = new ArrayList<>();
    static {
        initialized++;
    }

    static String text(String s) {
        Supplier<String> one = () -> "one " + s;
        made.add(one);
        return one.get();
    }
}
TEXT
cat >many/Subject.java <<'TEXT'
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

class Subject {
    static int initialized;
    static final List<Supplier<String>> made = new ArrayList<>();
    static {
        initialized++;
    }

    static String text(String s) {
        Supplier<String> one = () -> "ONE " + s, two = () -> twice(s).toString();
        Function<String, Supplier<String>> three = t -> () -> t + one.get() + two.get();
        made.add(two);
        return three.apply("three ").get() + switched(s.length());
    }

    private static List<String> twice(String s) {
        return List.of(s, s);
    }

    private static String switched(int i) {
        return switch (i) {
            case 0 -> "zero";
            case 1 -> " " + i;
            default -> throw new IllegalStateException();
        };
    }
}
TEXT
javac -d . few/Subject.java Agent.java
javac -d few few/Subject.java
javac -d many many/Subject.java
printf 'Premain-Class: Agent\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\n' >manifest
jar --create --file agent.jar --manifest manifest
java -XX:+AllowRedefinitionToAddDeleteMethods -javaagent:agent.jar -cp . Agent 2>&1 | grep -v "warning: Sharing is only"
java -javaagent:agent.jar -cp . Agent 2>&1 | grep -v "warning: Sharing is only"
