// SPDX-License-Identifier: Apache-2.0
// PopFrame and ForceEarlyReturn: through each kind of call, out of synchronized methods and blocks,
// with changed arguments, in the current thread's events and in suspended threads; what is refused.
// @agent ti_control
// @javac -g
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.IntUnaryOperator;

public class Control {
    static native void plan(String what, Object value);

    static native void breakAt(Class<?> c, String name, String desc, boolean isStatic, int location);

    static native void watchField(String name);

    static native void silent(boolean on);

    static native int force(Thread t, String kind, Object value);

    static native int suspendThread(Thread t);

    static native int resumeThread(Thread t);

    static native String top(Thread t);

    static native void call(String method);

    interface Shape {
        int area(int scale);
    }

    static class Square implements Shape {
        final int side;

        Square(int side) {
            this.side = side;
        }

        @Override
        public int area(int scale) {
            return side * side * scale;
        }

        private int hidden(int x) {
            return x + side;
        }

        int viaPrivate(int x) {
            return hidden(x);
        }
    }

    static class Big extends Square {
        Big() {
            super(10);
        }

        @Override
        public int area(int scale) {
            return super.area(scale) + 1;
        }
    }

    static int sum(int a, long b, String c) {
        return a + (int) b + c.length();
    }

    static synchronized int locked(int a) {
        return Thread.holdsLock(Control.class) ? a : -1;
    }

    static int block(int a, Object lock, Object inner) {
        int r = 1;
        synchronized (lock) {
            synchronized (inner) {
                synchronized (lock) {
                    r += marker(a);
                }
            }
        }
        return r;
    }

    static int marker(int a) {
        return a * 2;
    }

    static long wide(long a, double b) {
        return a + (long) b;
    }

    static int plusOne(int x) {
        return x + 1;
    }

    static boolean canLock(Object o) throws Exception {
        boolean[] got = {false};
        Thread t = new Thread(() -> {
            synchronized (o) {
                got[0] = true;
            }
        });
        t.setDaemon(true);
        t.start();
        t.join(2000);
        return got[0];
    }

    static void pops() throws Throwable {
        Control.class.getDeclaredMethods();
        breakAt(Control.class, "sum", "(IJLjava/lang/String;)I", true, 0);
        plan("change-pop", null);
        System.out.println("static " + sum(1, 2, "abc"));

        breakAt(Control.class, "locked", "(I)I", true, 0);
        plan("pop", null);
        System.out.println("synchronized " + locked(7) + " " + Thread.holdsLock(Control.class));
        System.out.println("free " + canLock(Control.class));

        Object a = new Object();
        Object b = new Object();
        breakAt(Control.class, "marker", "(I)I", true, 0);
        plan("notify-pop", null);
        System.out.println("in blocks " + block(4, a, b));
        breakAt(Control.class, "block", "(ILjava/lang/Object;Ljava/lang/Object;)I", true, BLOCK);
        plan("pop", null);
        System.out.println("blocks " + block(4, a, b) + " " + Thread.holdsLock(a) + Thread.holdsLock(b));
        System.out.println("free " + canLock(a) + " " + canLock(b));

        breakAt(Square.class, "area", "(I)I", false, 0);
        plan("pop", null);
        Shape s = new Square(3);
        System.out.println("interface " + s.area(2));
        breakAt(Big.class, "area", "(I)I", false, 0);
        plan("pop", null);
        Square big = new Big();
        System.out.println("virtual " + big.area(2));
        breakAt(Square.class, "area", "(I)I", false, 0);
        plan("pop", null);
        System.out.println("super " + big.area(2));
        breakAt(Square.class, "hidden", "(I)I", false, 0);
        plan("pop", null);
        System.out.println("private " + big.viaPrivate(2));
        breakAt(Square.class, "<init>", "(I)V", false, 0);
        plan("pop", null);
        System.out.println("constructor " + new Square(6).side);
        breakAt(Control.class, "wide", "(JD)J", true, 0);
        plan("pop", null);
        System.out.println("wide " + wide(1L << 40, 2.0));
    }

    static final int BLOCK = 17; // inside of the innermost block

    static void handles() throws Throwable {
        silent(true);
        IntUnaryOperator op = Control::plusOne;
        op.applyAsInt(1);
        breakAt(Control.class, "plusOne", "(I)I", true, 0);
        plan("pop", null);
        System.out.println("lambda " + op.applyAsInt(41));
        MethodHandle h = MethodHandles.lookup().findStatic(Control.class, "plusOne", MethodType.methodType(int.class, int.class));
        System.out.println("handle " + (int) h.invokeExact(1));
        breakAt(Control.class, "plusOne", "(I)I", true, 0);
        plan("pop", null);
        System.out.println("handle " + (int) h.invokeExact(42));
        MethodHandle v = MethodHandles.lookup().findVirtual(Square.class, "area", MethodType.methodType(int.class, int.class));
        Square q = new Square(2);
        System.out.println("virtual handle " + (int) v.invokeExact(q, 1));
        breakAt(Square.class, "area", "(I)I", false, 0);
        plan("pop", null);
        System.out.println("virtual handle " + (int) v.invokeExact(q, 2));
        MethodHandle bound = h.asType(MethodType.methodType(long.class, int.class));
        System.out.println("adapted " + (long) bound.invokeExact(1));
        breakAt(Control.class, "plusOne", "(I)I", true, 0);
        plan("pop", null);
        System.out.println("adapted " + (long) bound.invokeExact(43));
        silent(false);
    }

    static int depth(int n) {
        return n == 0 ? marker(n) : depth(n - 1) + 1;
    }

    static class Spinner extends Thread {
        volatile boolean go = true;
        volatile boolean inside;
        volatile boolean stays;
        int calls;
        int spins;
        String result;

        @Override
        public void run() {
            try {
                result = outer();
                while (stays)
                    Thread.onSpinWait();
            } catch (IllegalStateException e) {
                result = e.getMessage();
            }
        }

        String outer() {
            return "outer " + inner(5);
        }

        synchronized int inner(int x) {
            calls++;
            inside = true;
            while (go)
                spins++;
            return x;
        }
    }

    static Spinner spinning() throws Exception {
        Spinner t = new Spinner();
        t.start();
        while (!t.inside)
            Thread.sleep(1);
        System.out.println("running: pop " + force(t, "pop", null) + " int " + force(t, "int", null));
        System.out.println("suspend " + suspendThread(t));
        return t;
    }

    static void suspended() throws Exception {
        silent(true);
        Spinner t = spinning();
        System.out.println("pop " + force(t, "pop", null) + " again " + force(t, "pop", null));
        t.go = false;
        System.out.println("resume " + resumeThread(t));
        t.join();
        System.out.println(t.result + " calls " + t.calls);

        t = spinning();
        System.out.println("wrong " + force(t, "void", null) + " " + force(t, "long", null) + " " + force(t, "object", null));
        System.out.println("int " + force(t, "int", null) + " again " + force(t, "int", null));
        resumeThread(t);
        t.join();
        System.out.println(t.result + " calls " + t.calls + " lock free " + canLock(t));

        for (String[] two : new String[][] {{"pop", "stop"}, {"stop", "pop"}}) {
            t = spinning();
            t.stays = true;
            for (String kind : two)
                System.out.println(kind + " " + force(t, kind, new IllegalStateException("stopped")));
            resumeThread(t);
            t.join(20_000); // without the exception it never ends
            t.go = t.stays = false;
            t.join();
            System.out.println(t.result);
        }

        Thread waiting = new Thread(() -> {
            synchronized (Control.class) {
                try {
                    Control.class.wait();
                } catch (InterruptedException e) {
                    System.out.println("interrupted");
                }
            }
        });
        waiting.start();
        while (waiting.getState() != Thread.State.WAITING)
            Thread.sleep(1);
        suspendThread(waiting);
        System.out.println("native on top: pop " + force(waiting, "pop", null) + " void " + force(waiting, "void", null));
        resumeThread(waiting);
        waiting.interrupt();
        waiting.join();
        System.out.println("ended: pop " + force(waiting, "pop", null) + " void " + force(waiting, "void", null));
        System.out.println("unstarted: pop " + force(new Thread(), "pop", null) + " void " + force(new Thread(), "void", null));
        System.out.println("none: pop " + force(null, "pop", null));
        silent(false);
    }

    static boolean aBoolean() {
        return false;
    }

    static byte aByte() {
        return 0;
    }

    static char aChar() {
        return 0;
    }

    static short aShort() {
        return 0;
    }

    static int anInt() {
        return 0;
    }

    static long aLong() {
        return 0;
    }

    static float aFloat() {
        return 0;
    }

    static double aDouble() {
        return 0;
    }

    static String aString() {
        return "own";
    }

    static Comparable<?> anInterface() {
        return "own";
    }

    static Object[] anArray() {
        return null;
    }

    static void nothing() {
        System.out.println("not reached");
    }

    static void returns() {
        String[][] wrong = {{"aBoolean", "()Z", "int"}, {"anInt", "()I", "int"}, {"aLong", "()J", "long"}, {"aFloat", "()F", "float"},
            {"aDouble", "()D", "double"}, {"nothing", "()V", "void"}};
        for (String[] w : wrong) {
            System.out.println(w[0]);
            breakAt(Control.class, w[0], w[1], true, 0);
            plan("wrong-" + w[2], "text");
            if (w[0].equals("nothing"))
                continue;
            switch (w[0]) {
            case "aBoolean": aBoolean(); break;
            case "anInt": anInt(); break;
            case "aLong": aLong(); break;
            case "aFloat": aFloat(); break;
            default: aDouble();
            }
        }
        plan("void", null);
        nothing();
        for (String[] w : wrong)
            if (!w[0].equals("nothing"))
                breakAt(Control.class, w[0], w[1], true, 0);
        breakAt(Control.class, "aByte", "()B", true, 0);
        breakAt(Control.class, "aChar", "()C", true, 0);
        breakAt(Control.class, "aShort", "()S", true, 0);
        plan("small", null);
        System.out.println(aBoolean());
        plan("small", null);
        System.out.println(aByte());
        plan("small", null);
        System.out.println((int) aChar());
        plan("small", null);
        System.out.println(aShort());
        plan("notify-int", null);
        System.out.println(anInt());
        plan("long", null);
        System.out.println(aLong());
        plan("float", null);
        System.out.println(aFloat());
        plan("double", null);
        System.out.println(aDouble());
    }

    static void object(String method, String desc, Object value) {
        breakAt(Control.class, method, desc, true, 0);
        plan("object", value);
        Object o = method.equals("aString") ? aString() : method.equals("anInterface") ? anInterface() : anArray();
        System.out.println(method + " " + (o instanceof Object[] ? ((Object[]) o).length : o));
        plan("", null);
    }

    static int failing(int x) {
        try {
            if (x > 0)
                throw new IllegalStateException("x");
            return 0;
        } finally {
            System.out.println("finally");
        }
    }

    static int watched = 3;

    static int reading() {
        int a = watched;
        System.out.println("not reached");
        return a;
    }

    static class Initialized {
        static int x;

        static {
            x = 5;
            Control.mark();
        }
    }

    static void mark() {
    }

    static void corners() throws Exception {
        plan("int", null);
        System.out.println("from an exception " + failing(1));
        watchField("watched");
        plan("int", null);
        System.out.println("from a field access " + reading());
        breakAt(Control.class, "plusOne", "(I)I", true, 0);
        plan("pop", null);
        call("plusOne"); // the caller is native
        breakAt(Control.class, "plusOne", "(I)I", true, 0);
        plan("int", null);
        call("plusOne");
        breakAt(Control.class, "main2", "()V", true, 0);
        Thread t = new Thread(Control::main2);
        plan("void", null);
        t.start();
        t.join();
        System.out.println("own thread: pop " + force(Thread.currentThread(), "pop", null) + " void " + force(null, "void", null));
    }

    static void main2() {
        System.out.println("not reached");
    }

    public static void main(String[] args) throws Throwable {
        pops();
        handles();
        suspended();
        returns();
        object("aString", "()Ljava/lang/String;", "forced");
        object("aString", "()Ljava/lang/String;", null);
        object("aString", "()Ljava/lang/String;", 1);
        object("anInterface", "()Ljava/lang/Comparable;", 5);
        object("anInterface", "()Ljava/lang/Comparable;", new Object());
        object("anArray", "()[Ljava/lang/Object;", new String[] {"a", "b"});
        object("anArray", "()[Ljava/lang/Object;", new int[3]);
        corners();
    }
}
