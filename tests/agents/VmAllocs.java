// SPDX-License-Identifier: Apache-2.0
// VMObjectAlloc of what natives of the class library make besides the object they give: the arrays of an array,
// the members of a class.
// @agent ti_vm_allocs
// @quick
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;

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

    static class Named {
        class Inner {
        }
    }

    static class Texts {
        int neverNamed;
        Generic<Long> generic;
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

    public static void main(String[] args) throws Exception {
        told("two dimensions", () -> Array.newInstance(long.class, 2, 3), long[][].class, long[].class);
        told("three dimensions", () -> Array.newInstance(String.class, 2, 3, 1), String[][][].class, String[][].class, String[].class);
        told("an empty one in it", () -> Array.newInstance(char.class, 2, 0), char[][].class, char[].class);
        told("fields", Members.class::getDeclaredFields, Field.class, Field[].class);
        told("methods", Members.class::getDeclaredMethods, Method.class, Method[].class);
        told("types", Typed.class::getDeclaredMethods, Class[].class);
        kept = new String[] {"FIRST", "SECOND"}; // names become strings when they are asked for first
        told("annotations", Annotated.class::getDeclaredFields, byte[].class);
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
        told("enclosing", () -> Named.Inner.class.getEnclosingMethod(), Object[].class);
    }
}
