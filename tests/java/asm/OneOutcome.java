// SPDX-License-Identifier: Apache-2.0
// One outcome for each constant (JVMS 5.4.3): what the first attempt to end found or threw is what all find and throw, also
// an attempt that began earlier, by another thread or around that one.
// @quick
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

public class OneOutcome {
    static final String BSM = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/Object;";
    static final String SITE = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;";
    static Callable<Object> inside;
    static int depth;
    static String plan;
    static final ThreadLocal<String> mine = new ThreadLocal<>();

    public static class Broken {
        static {
            fail();
        }

        static void fail() {
            throw new IllegalStateException("in <clinit>");
        }

        public static void touch() {
        }
    }

    static class Own extends Error {
        Own(String s) {
            super(s);
        }
    }

    // What a step of the plan does: a number is a result, a letter throws.
    static Object act(char step, int at) throws Throwable {
        switch (step) {
        case 'l': throw new LinkageError("linkage " + at);
        case 'c': throw new LinkageError("caused " + at, new IllegalStateException("why " + at));
        case 'n': throw new NoSuchFieldError();
        case 'b': throw new BootstrapMethodError("bootstrap " + at, new Exception("deep"));
        case 'r': throw new RuntimeException("runtime " + at);
        case 'x': throw new Exception("checked " + at);
        case 'e': throw new Own("own " + at);
        case 'i': Broken.touch(); return null;
        case 't': throw new ThreadDeath();
        case '0': return null;
        default: return "result " + step + " at " + at;
        }
    }

    // Runs the next constant within this one as long as the plan has more than one step.
    static Object step() throws Throwable {
        int at = depth++;
        try {
            if (at + 1 < plan.length()) {
                Object inner;
                try {
                    inner = inside.call();
                } catch (Throwable e) {
                    inner = text(e);
                }
                System.out.println("  inside " + at + ": " + inner);
            }
            return act(plan.charAt(at), at);
        } finally {
            depth--;
        }
    }

    public static Object condy(MethodHandles.Lookup l, String name, Class<?> type) throws Throwable {
        return step();
    }

    public static CallSite indy(MethodHandles.Lookup l, String name, MethodType type) throws Throwable {
        return new ConstantCallSite(MethodHandles.constant(Object.class, step()));
    }

    static String text(Throwable e) {
        StringBuilder sb = new StringBuilder(e.toString());
        for (Throwable c = e.getCause(); c != null; c = c.getCause()) {
            sb.append(" <- ").append(c);
        }
        return sb.toString();
    }

    interface Maker {
        void code(Asm a, Asm.Code c);
    }

    static void dynamic(Asm a, Asm.Code c) {
        c.ldc(a.dynamic(false, "theName", "Ljava/lang/Object;", a.handle(6, a.mref("OneOutcome", "condy", BSM))));
    }

    static void site(Asm a, Asm.Code c) {
        c.op2(0xba, a.dynamic(true, "theName", "()Ljava/lang/Object;", a.handle(6, a.mref("OneOutcome", "indy", SITE)))).op(0, 0);
    }

    static void again(String kind, Maker maker, String steps) {
        Asm a = new Asm(55, 33, "User", "java/lang/Object");
        Asm.Code c = a.method(9, "m", "()Ljava/lang/Object;");
        maker.code(a, c);
        c.op(0xb0);
        Asm.Loader l = new Asm.Loader("L", a);
        plan = steps;
        inside = () -> {
            try {
                return Asm.run(l, "User");
            } catch (java.lang.reflect.InvocationTargetException e) {
                return text(e.getCause());
            } catch (Throwable e) {
                return text(e);
            }
        };
        for (int i = 0; i < 3; i++) {
            String r;
            try {
                r = String.valueOf(inside.call());
            } catch (Exception e) {
                r = text(e);
            }
            System.out.println(kind + " " + steps + " " + i + ": " + r);
        }
    }

    // A loader that meets the constant it was asked for again.
    static class Nested extends Asm.Loader {
        int asked;
        final String steps;

        Nested(String steps, Asm... as) {
            super("nested", as);
            this.steps = steps;
        }

        @Override
        protected Class<?> findClass(String n) throws ClassNotFoundException {
            if (!n.equals("Wanted")) {
                return super.findClass(n);
            }
            int at = asked++;
            char step = steps.charAt(Math.min(at, steps.length() - 1));
            if (at + 1 < steps.length()) {
                Object inner;
                try {
                    inner = Asm.run(this, "User");
                } catch (java.lang.reflect.InvocationTargetException e) {
                    inner = text(e.getCause());
                } catch (Throwable e) {
                    inner = text(e);
                }
                System.out.println("  inside " + at + ": " + inner);
            }
            switch (step) {
            case 'n': throw new ClassNotFoundException("not found " + at);
            case 'l': throw new LinkageError("linkage " + at);
            case 'r': throw new RuntimeException("runtime " + at);
            case 'o': return OneOutcome.class;
            default: return foreign.get("Wanted");
            }
        }
    }

    static void classes(String steps, int op) {
        Asm a = new Asm(55, 33, "User", "java/lang/Object");
        Asm.Code c = a.method(9, "m", "()Ljava/lang/Object;");
        if (op == 0x13) {
            c.ldc(a.cls("Wanted"));
        } else {
            c.op2(op, a.mref("Wanted", "go", "()Ljava/lang/String;"));
        }
        c.op(0xb0);
        Asm w = new Asm(55, 33, "Wanted", "java/lang/Object");
        w.method(9, "go", "()Ljava/lang/String;").ldc(w.str("went")).op(0xb0);
        Asm.Loader other = new Asm.Loader("other", w);
        Nested l = new Nested(steps, a);
        try {
            l.foreign.put("Wanted", other.loadClass("Wanted"));
        } catch (ClassNotFoundException e) {
            throw new Error(e);
        }
        for (int i = 0; i < 3; i++) {
            String r;
            try {
                r = String.valueOf(Asm.run(l, "User"));
            } catch (java.lang.reflect.InvocationTargetException e) {
                r = text(e.getCause());
            } catch (Throwable e) {
                r = text(e);
            }
            System.out.println((op == 0x13 ? "class " : "method ") + steps + " " + i + ": " + r);
        }
    }

    // Two threads in one constant at once, who end in the order said.
    static CountDownLatch[] gate;
    static int arrived;

    static void threads(String kind, Maker maker, String steps, boolean firstEndsFirst) throws Exception {
        Asm a = new Asm(55, 33, "User", "java/lang/Object");
        Asm.Code c = a.method(9, "m", "()Ljava/lang/Object;");
        maker.code(a, c);
        c.op(0xb0);
        Asm.Loader l = new Asm.Loader("L", a);
        java.lang.reflect.Method m = l.loadClass("User").getMethod("m");
        plan = "?" + steps;
        gate = new CountDownLatch[] {new CountDownLatch(1), new CountDownLatch(1)};
        arrived = 0;
        String[] results = new String[2];
        Thread[] ts = new Thread[2];
        for (int i = 0; i < 2; i++) {
            int n = i;
            ts[i] = new Thread(() -> {
                mine.set(String.valueOf(n));
                try {
                    results[n] = String.valueOf(m.invoke(null));
                } catch (java.lang.reflect.InvocationTargetException e) {
                    results[n] = text(e.getCause());
                } catch (Throwable e) {
                    results[n] = text(e);
                }
            });
            ts[i].start();
            synchronized (OneOutcome.class) {
                while (arrived <= i) {
                    OneOutcome.class.wait();
                }
            }
        }
        int first = firstEndsFirst ? 0 : 1;
        gate[first].countDown();
        ts[first].join();
        gate[1 - first].countDown();
        ts[1 - first].join();
        System.out.println(kind + " threads " + steps + " " + first + " first: " + results[0] + " | " + results[1]);
    }

    static Object waiting() throws Throwable {
        synchronized (OneOutcome.class) {
            arrived++;
            OneOutcome.class.notifyAll();
        }
        int n = Integer.parseInt(mine.get());
        gate[n].await();
        return act(plan.charAt(n + 1), n);
    }

    public static Object slowCondy(MethodHandles.Lookup l, String name, Class<?> type) throws Throwable {
        return waiting();
    }

    public static CallSite slowIndy(MethodHandles.Lookup l, String name, MethodType type) throws Throwable {
        return new ConstantCallSite(MethodHandles.constant(Object.class, waiting()));
    }

    static void slowDynamic(Asm a, Asm.Code c) {
        c.ldc(a.dynamic(false, "theName", "Ljava/lang/Object;", a.handle(6, a.mref("OneOutcome", "slowCondy", BSM))));
    }

    static void slowSite(Asm a, Asm.Code c) {
        c.op2(0xba, a.dynamic(true, "theName", "()Ljava/lang/Object;", a.handle(6, a.mref("OneOutcome", "slowIndy", SITE)))).op(0, 0);
    }

    public static void main(String[] args) throws Exception {
        for (String steps : "1 l c n b r x e t 0 12 lc cl 01 10 t1 1t e1 1e".split(" ")) {
            again("condy", OneOutcome::dynamic, steps);
        }
        for (String steps : "1 l c n b r x e t 0 i 12 1l l1 lc cl r1 1r 0l l0 01 10 t1 1t e1 1e l1l".split(" ")) {
            again("indy", OneOutcome::site, steps);
        }
        for (String steps : "1 n l r o".split(" ")) {
            classes(steps, 0x13);
            classes(steps, 0xb8);
        }
        for (String steps : "12 1l l1 lc 0l l0 t1 1t e1 1e".split(" ")) {
            for (boolean f : new boolean[] {true, false}) {
                if (!steps.matches(".*l.*") || steps.equals("lc")) {
                    threads("condy", OneOutcome::slowDynamic, steps, f);
                }
                threads("indy", OneOutcome::slowSite, steps, f);
            }
        }
    }
}
