// SPDX-License-Identifier: Apache-2.0
// Method handles of default methods found through a class, through its interface and by special lookup.
// @quick
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

public class DefaultHandles {
    interface Greets {
        default String greet(String n) {
            return "hello " + n + " from " + name();
        }
        String name();
    }
    static class A implements Greets {
        public String name() {
            return "A";
        }
    }
    static class B extends A {
        public String greet(String n) {
            return "B overrides " + n;
        }
    }
    static class C implements Greets {
        public String name() {
            return "C";
        }
        MethodHandle special() throws Throwable {
            return MethodHandles.lookup().findSpecial(Greets.class, "greet", MethodType.methodType(String.class, String.class), C.class);
        }
    }
    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        MethodType t = MethodType.methodType(String.class, String.class);
        MethodHandle viaClass = l.findVirtual(A.class, "greet", t);
        MethodHandle viaInterface = l.findVirtual(Greets.class, "greet", t);
        for (Object o : new Object[] {new A(), new B()}) {
            System.out.println((String) viaClass.invoke((A) o, "x"));
            System.out.println((String) viaInterface.invoke((Greets) o, "y"));
            System.out.println(viaClass.bindTo(o).invoke("z"));
        }
        System.out.println(new C().special().invoke(new C(), "s"));
        System.out.println(l.revealDirect(viaClass) + " | " + l.revealDirect(viaInterface));
        try {
            viaClass.invoke((Object) new C(), "no");
        } catch (ClassCastException e) {
            System.out.println("CCE");
        }
    }
}
