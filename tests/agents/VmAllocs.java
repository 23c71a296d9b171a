// SPDX-License-Identifier: Apache-2.0
// VMObjectAlloc of what natives of the class library make besides the object they give: the arrays of an array,
// the members of a class.
// @agent ti_vm_allocs
// @flags --add-exports java.base/jdk.internal.access=ALL-UNNAMED --add-exports java.base/jdk.internal.reflect=ALL-UNNAMED --add-exports java.base/jdk.internal.loader=ALL-UNNAMED
// @javac -parameters --add-exports java.base/jdk.internal.access=ALL-UNNAMED --add-exports java.base/jdk.internal.reflect=ALL-UNNAMED --add-exports java.base/jdk.internal.loader=ALL-UNNAMED
// @quick
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.security.AccessControlContext;
import java.security.AccessController;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.TreeMap;
import jdk.internal.access.SharedSecrets;
import jdk.internal.loader.BootLoader;
import jdk.internal.reflect.ConstantPool;

public class VmAllocs {
    static native void begin();

    static native int end(Class<?> of);

    interface Action {
        Object get() throws Exception;
    }

    static class Members {
        int one;
        long two;
        String three;

        Members() {
        }

        Members(int number, String text) throws Exception {
        }

        void first() {
        }

        int second(int number, Object... more) throws Exception {
            return number;
        }
    }

    interface Typed {
        void one(int number) throws Exception;

        @Deprecated
        void two(String text, long number) throws Error;
    }

    interface Annotated {
        @Deprecated
        int FIRST = 1;
        int SECOND = 2;
    }

    record Point(int x, int y) {
    }

    static class Callers extends SecurityManager {
        @Override
        public Class<?>[] getClassContext() {
            return super.getClassContext();
        }
    }

    static class Named {
        class Inner {
        }
    }

    static class Texts {
        int neverNamed;
        Generic<Long> generic;
    }

    static class Bare {
        void nothing() {
        }
    }

    static class Generic<T extends Number> {
        Object local() {
            return new Object() { };
        }
    }

    static class TextsOfMethods {
        void neverCalled(int number) {
        }
    }

    record Line(int firstEnd, int secondEnd) {
    }

    static int same(int number) {
        return number;
    }

    static Object kept;

    static void told(String what, Action action, Class<?>... of) throws Exception {
        for (Class<?> c : of) {
            begin();
            try {
                kept = action.get();
            } finally {
                System.out.println(what + ", " + c.getSimpleName() + ": " + end(c));
            }
        }
    }

    static class Standing extends Thread {
        final boolean elsewhere;

        Standing(boolean elsewhere) {
            this.elsewhere = elsewhere;
            setDaemon(true);
            start();
            while (getState() != State.WAITING)
                Thread.yield();
        }

        @Override
        public void run() {
            try {
                if (elsewhere)
                    standsElsewhere();
                else
                    standsHere();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        synchronized void standsHere() throws InterruptedException {
            wait();
        }

        synchronized void standsElsewhere() throws InterruptedException {
            wait();
        }
    }

    // One name is new where a thread stands; those that an earlier trace has too are kept by that.
    static void traceOfThread() throws Exception {
        StackTraceElement[] earlier = new Standing(false).getStackTrace();
        told("names of frames", new Standing(true)::getStackTrace, String.class);
        System.out.println(earlier.length);
    }

    static StackTraceElement[] traceOfThrowable() {
        return new Throwable().getStackTrace();
    }

    // Each entry of the constant pool, by all that read one.
    static void constants() throws Exception {
        ConstantPool pool = SharedSecrets.getJavaLangAccess().getConstantPool(Constants.class);
        Map<String, Integer> first = new TreeMap<>();
        for (int i = 1; i < pool.getSize(); i++)
            first.putIfAbsent(pool.getTagAt(i).name(), i);
        told("text", () -> pool.getUTF8At(first.get("UTF8")), String.class, byte[].class);
        told("class", () -> pool.getClassAt(first.get("CLASS")), String.class);
        told("method", () -> pool.getMethodAt(first.get("METHODREF")), String.class, Constructor.class, Method.class, Class[].class);
        told("field", () -> pool.getFieldAt(first.get("FIELDREF")), String.class, Field.class);
        told("member", () -> pool.getMemberRefInfoAt(first.get("METHODREF")), String.class, String[].class);
        told("name and type", () -> pool.getNameAndTypeRefInfoAt(first.get("NAMEANDTYPE")), String.class, String[].class);
    }

    static class Constants {
        static int field;
        Object used(long given) throws Exception {
            field = field("a text of the pool only", given);
            return Constants.class;
        }
        static int field(String a, long b) throws Exception {
            return 1;
        }
    }

    public static void main(String[] args) throws Exception {
        told("two dimensions", () -> Array.newInstance(long.class, 2, 3), long[][].class, long[].class);
        told("three dimensions", () -> Array.newInstance(String.class, 2, 3, 1), String[][][].class, String[][].class, String[].class);
        told("an empty one in it", () -> Array.newInstance(char.class, 2, 0), char[][].class, char[].class);
        told("fields", Members.class::getDeclaredFields, Field.class, Field[].class);
        told("methods", Members.class::getDeclaredMethods, Method.class, Method[].class);
        told("types", Typed.class::getDeclaredMethods, Class[].class);
        kept = new String[] {"FIRST", "SECOND"}; // names become strings when they are asked for first
        told("annotations", Annotated.class::getDeclaredFields, byte[].class);
        told("no exceptions", Named.Inner.class::getDeclaredConstructors, Class[].class);
        told("neither parameters nor exceptions", Bare.class::getDeclaredConstructors, Class[].class);
        told("a new object", Bare.class::newInstance, Class[].class, Constructor.class, Bare.class);
        told("context", AccessController::getContext, ProtectionDomain[].class, AccessControlContext.class);
        told("constructors", Members.class::getDeclaredConstructors, Constructor.class, Constructor[].class);
        told("components", Point.class::getRecordComponents, RecordComponent.class, RecordComponent[].class);
        told("interfaces", Members.class::getInterfaces, Class[].class);
        told("nest members", Named.class::getNestMembers, Class[].class);
        told("threads", Thread::getAllStackTraces, Thread[].class, StackTraceElement[][].class);
        told("trace", () -> new Throwable().getStackTrace(), StackTraceElement.class);
        told("signers", () -> Members.class.getSigners(), Object[].class);
        Class<?> local = new Generic<Long>().local().getClass();
        told("name", () -> Texts.class.getName(), String.class, byte[].class);
        told("name again", () -> Texts.class.getName(), String.class, byte[].class);
        told("names of fields", Texts.class::getDeclaredFields, String.class);
        TextsOfMethods.class.getName();
        told("names of methods", TextsOfMethods.class::getDeclaredMethods, String.class);
        Line.class.getName();
        told("names of components", Line.class::getRecordComponents, String.class, Method.class);
        told("signature", () -> Generic.class.getTypeParameters().length, String.class);
        told("enclosing method", local::getEnclosingMethod, Object[].class);
        told("literal", () -> "never seen before", String.class);
        Method same = VmAllocs.class.getDeclaredMethod("same", int.class);
        told("boxed result", () -> same.invoke(null, 1000), Integer.class);
        told("boxed element", () -> Array.get(new int[] {1000}, 0), Integer.class);
        told("element", () -> Array.get(new Integer[] {1000}, 0), Integer.class);
        told("parameters", VmAllocs.class.getDeclaredMethod("told", String.class, Action.class, Class[].class)::getParameters,
            Parameter.class, Parameter[].class, String.class);
        traceOfThread();
        told("names of a trace", VmAllocs::traceOfThrowable, String.class);
        told("method of a local class", local::getEnclosingMethod, String.class);
        told("package", () -> Object.class.getPackage(), String.class, byte[].class);
        told("packages", () -> BootLoader.packages().filter(p -> p.getName().equals("java.lang")).count(), String[].class);
        told("context of classes", new Callers()::getClassContext, Class[].class);
        constants();
        told("enclosing", () -> Named.Inner.class.getEnclosingMethod(), Object[].class);
    }
}
