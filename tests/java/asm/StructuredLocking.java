// SPDX-License-Identifier: Apache-2.0
// Structured locking (JVMS 2.11.10): methods that return or throw while they hold monitors, or exit those that they did not enter.
// @quick
import java.lang.management.*;
import java.lang.reflect.*;
import java.util.function.Consumer;

public class StructuredLocking {
    static class A {
    }
    static class B {
    }
    static final int ENTER = 0xc2, EXIT = 0xc3, RETURN = 0xb1, A0 = 0x2a, A1 = 0x2b, POP = 0x57, THROW = 0xbf;
    static final String SELF = "StructuredLocking", TWO = "(Ljava/lang/Object;Ljava/lang/Object;)V", ONE = "(Ljava/lang/Object;)V";

    // The monitors of the frames of assembled code.
    public static void show() {
        long[] self = {Thread.currentThread().getId()};
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(self, true, false)[0];
        StringBuilder text = new StringBuilder("  holds");
        for (MonitorInfo m : info.getLockedMonitors())
            if (m.getLockedStackFrame().getClassName().equals("Locks"))
                text.append(' ').append(m.getClassName()).append(" of ").append(m.getLockedStackFrame().getMethodName());
        System.out.println(text);
    }

    static boolean isFree(Object o) throws InterruptedException {
        boolean[] entered = new boolean[1];
        Thread t = new Thread(() -> {
            synchronized (o) {
                entered[0] = true;
            }
        });
        t.setDaemon(true);
        t.start();
        t.join(Thread.holdsLock(o) ? 200 : 20_000);
        return entered[0];
    }

    static Asm asm;
    static void method(int access, String name, Consumer<Asm.Code> body) {
        Asm.Code code = asm.method(Asm.PUB | access, name, (access & Asm.STATIC) != 0 ? TWO : ONE);
        body.accept(code);
    }
    static Asm.Code shown(Asm.Code c) {
        return c.invokeStatic(SELF, "show", "()V");
    }
    static Asm.Code thrown(Asm.Code c) {
        return c.create("java/lang/ArithmeticException").op(THROW);
    }

    static final int STATIC = Asm.STATIC, SYNC = 0x20;
    static void assemble() {
        asm = Asm.simple(49, "Locks");
        method(STATIC, "balanced", c -> shown(c.op(A0, ENTER, A1, ENTER, A0, ENTER)).op(A0, EXIT, A1, EXIT, A0, EXIT, RETURN));
        method(STATIC, "crossed", c -> shown(shown(c.op(A0, ENTER, A1, ENTER)).op(A0, EXIT)).op(A1, EXIT, RETURN));
        method(STATIC, "returnsHoldingOne", c -> shown(c.op(A0, ENTER)).op(RETURN));
        method(STATIC, "returnsHoldingTwo", c -> shown(c.op(A0, ENTER, A1, ENTER)).op(RETURN));
        method(STATIC, "returnsHoldingOnce", c -> shown(c.op(A0, ENTER, A0, ENTER, A0, EXIT)).op(RETURN));
        method(STATIC, "throwsHolding", c -> thrown(c.op(A0, ENTER, A1, ENTER)));
        method(STATIC, "exitsNotOwned", c -> c.op(A0, EXIT, RETURN));
        method(STATIC, "exitsTwice", c -> c.op(A0, ENTER, A0, EXIT, A0, EXIT, RETURN));
        method(STATIC, "exitsCallers", c -> c.op(A0, ENTER, A0, A1).invokeStatic("Locks", "exitsNotOwned", TWO).op(A0, EXIT, RETURN));
        method(STATIC, "callsReturnsHolding", c -> c.op(A1, ENTER, A0, A1).invokeStatic("Locks", "returnsHoldingOne", TWO).op(A1, EXIT, RETURN));
        method(STATIC, "enters", c -> c.op(1, ENTER, RETURN));
        method(STATIC, "exits", c -> c.op(1, EXIT, RETURN));
        method(STATIC, "catchesItsOwn", c -> {
            c.label("from").op(A0, ENTER, RETURN).label("to").op(POP);
            shown(c).op(RETURN).handler("from", "to", "to", null);
        });
        method(STATIC, "catchesAndReturns", c -> {
            c.op(A0, ENTER).label("from");
            thrown(c).label("to").op(POP);
            shown(c).op(RETURN).handler("from", "to", "to", null);
        });
        method(STATIC, "catchesAndExits", c -> {
            c.op(A0, ENTER).label("from");
            thrown(c).label("to").op(POP);
            shown(c).op(A0, EXIT, RETURN).handler("from", "to", "to", null);
        });
        method(STATIC, "entersManyTimes", c -> {
            c.op(0x11, 0x27, 0x10, 0x3d).label("loop").op(A0, ENTER, 0x84, 2, 0xff, 0x1c).jump(0x9a, "loop").op(RETURN); // 10,000 times
        });
        method(STATIC, "entersAndExitsManyTimes", c -> {
            c.op(0x11, 0x27, 0x10, 0x3d).label("loop").op(A0, ENTER, A0, EXIT, 0x84, 2, 0xff, 0x1c).jump(0x9a, "loop").op(RETURN);
        });
        method(SYNC, "exitsItsMethods", c -> shown(c.op(A0, EXIT)).op(RETURN));
        method(SYNC, "exitsItsMethodsAndThrows", c -> thrown(c.op(A0, EXIT)));
        method(SYNC, "exitsAndEntersItsMethods", c -> shown(c.op(A0, EXIT, A0, ENTER)).op(RETURN));
        method(SYNC, "exitsItsMethodsEntersAnother", c -> shown(c.op(A0, EXIT, A1, ENTER)).op(RETURN));
        method(SYNC, "entersItsMethodsAgain", c -> shown(c.op(A0, ENTER)).op(RETURN));
        method(SYNC, "entersAndExitsItsMethodsAgain", c -> shown(c.op(A0, ENTER, A0, EXIT)).op(RETURN));
        method(SYNC, "exitsItsMethodsTwice", c -> c.op(A0, ENTER, A0, EXIT, A0, EXIT, A0, EXIT, RETURN));
        method(SYNC, "returnsHolding", c -> shown(c.op(A1, ENTER)).op(RETURN));
        method(SYNC, "throwsHoldingToo", c -> thrown(c.op(A1, ENTER)));
    }

    static void run(Method m, boolean held) throws Exception {
        Object a = Modifier.isStatic(m.getModifiers()) ? new A() : m.getDeclaringClass().getConstructor().newInstance(), b = new B();
        System.out.println(m.getName() + (held ? ", the caller holding" : ""));
        try {
            Object[] args = Modifier.isStatic(m.getModifiers()) ? new Object[] {a, b} : new Object[] {b};
            if (held) {
                synchronized (a) {
                    try {
                        m.invoke(a, args);
                    } finally {
                        System.out.println("  caller's: " + Thread.holdsLock(a) + " " + isFree(a));
                    }
                }
            } else {
                m.invoke(a, args);
            }
            System.out.println("  returned");
        } catch (InvocationTargetException e) {
            System.out.println("  " + e.getCause() + " in " + e.getCause().getStackTrace()[0].getMethodName());
        } catch (IllegalMonitorStateException e) {
            System.out.println("  to the caller: " + e);
        }
        System.out.println("  " + Thread.holdsLock(a) + " " + Thread.holdsLock(b) + " " + isFree(a) + " " + isFree(b));
    }

    // A thread that ends in a method that returns holding monitors leaves none locked.
    static void inThread(Method m) throws Exception {
        Object a = new A(), b = new B();
        Thread t = new Thread(() -> {
            try {
                m.invoke(null, a, b);
            } catch (ReflectiveOperationException e) {
                System.out.println("in a thread: " + e.getCause());
            }
        });
        t.start();
        t.join();
        System.out.println(isFree(a) + " " + isFree(b));
    }

    public static void main(String[] args) throws Exception {
        assemble();
        Class<?> c = new Asm.Loader("locks", asm).loadClass("Locks");
        inThread(c.getMethod("returnsHoldingTwo", Object.class, Object.class));
        Method[] methods = c.getDeclaredMethods();
        java.util.Arrays.sort(methods, (x, y) -> x.getName().compareTo(y.getName()));
        for (Method m : methods) {
            run(m, false);
            run(m, true);
        }
    }
}
