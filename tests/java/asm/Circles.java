// SPDX-License-Identifier: Apache-2.0
// A class that is asked for again while its loader looks for it, or while another thread looks for its superclass.
// @quick
import java.util.concurrent.CountDownLatch;

public class Circles {
    static String text(Throwable e) {
        StringBuilder sb = new StringBuilder(e.toString());
        for (Throwable c = e.getCause(); c != null; c = c.getCause()) {
            sb.append(" <- ").append(c);
        }
        return sb.toString();
    }

    static Object attempt(java.util.concurrent.Callable<Object> c) {
        try {
            return c.call();
        } catch (java.lang.reflect.InvocationTargetException e) {
            return text(e.getCause());
        } catch (Throwable e) {
            return text(e);
        }
    }

    // Loaders that meet the constant they were asked for again. What a step does: see loadIt.
    static class Plain extends Asm.Loader {
        int asked;
        final String steps;

        Plain(String steps, Asm... as) {
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
                System.out.println("  inside " + at + ": " + attempt(() -> again()));
            }
            switch (step) {
            case 'n': throw new ClassNotFoundException("not found " + at);
            case 'l': throw new LinkageError("linkage " + at);
            case 'm': throw new LinkageError();
            case 'r': throw new RuntimeException("runtime " + at);
            case 'o': return Circles.class;
            case '0': return null;
            default: return foreign.get("Wanted");
            }
        }

        Object again() throws Exception {
            return loadClass("User").getMethod("m").invoke(null);
        }
    }

    static class Parallel extends Plain {
        static {
            registerAsParallelCapable();
        }

        Parallel(String steps, Asm... as) {
            super(steps, as);
        }
    }

    static void nested(String steps, boolean parallel, int op) throws Exception {
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
        Plain l = parallel ? new Parallel(steps, a) : new Plain(steps, a);
        l.foreign.put("Wanted", other.loadClass("Wanted"));
        for (int i = 0; i < 3; i++) {
            System.out.println((parallel ? "parallel " : "plain ") + (op == 0x13 ? "class " : "method ") + steps + " " + i + ": " + attempt(l::again));
        }
    }

    // Asked for by name, by forName and by loadClass.
    static class ByName extends Asm.Loader {
        final boolean forName;
        boolean inside;

        ByName(boolean forName, Asm... as) {
            super("by name", as);
            this.forName = forName;
        }

        @Override
        public Class<?> loadClass(String n) throws ClassNotFoundException {
            if (n.equals("Wanted") && !inside) {
                inside = true;
                System.out.println("  inside: " + attempt(() -> forName ? Class.forName("Wanted", false, this) : loadClass("Wanted")));
            }
            return super.loadClass(n);
        }
    }

    static void byName() {
        for (boolean f : new boolean[] {true, false}) {
            ByName l = new ByName(f, Asm.simple(55, "Wanted"));
            System.out.println("forName " + f + ": " + attempt(() -> Class.forName("Wanted", false, l)));
            ByName m = new ByName(f, Asm.simple(55, "Wanted"));
            System.out.println("loadClass " + f + ": " + attempt(() -> m.loadClass("Wanted")));
            ByName k = new ByName(f, Asm.simple(55, "Wanted"), new Asm(55, 33, "Sub", "Wanted").constructor("Wanted"));
            System.out.println("superclass " + f + ": " + attempt(() -> k.loadClass("Sub")));
        }
    }

    // A extends B and B extends A, by two threads: the first waits on its loader within the load of its superclass.
    static class Waiting extends ClassLoader {
        final CountDownLatch second = new CountDownLatch(1);
        boolean first = true;

        Waiting() {
            super(Circles.class.getClassLoader());
        }

        @Override
        public Class<?> loadClass(String n) throws ClassNotFoundException {
            if (n.equals("B") && first) {
                first = false;
                second.countDown();
                synchronized (this) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        throw new Error(e);
                    }
                }
            }
            synchronized (this) {
                Class<?> c = findLoadedClass(n);
                if (c != null) {
                    return c;
                }
                if (n.equals("A") || n.equals("B")) {
                    byte[] b = new Asm(55, 33, n, n.equals("A") ? "B" : "A").bytes();
                    return defineClass(n, b, 0, b.length);
                }
                return super.loadClass(n);
            }
        }
    }

    static class WaitingParallel extends ClassLoader {
        static {
            registerAsParallelCapable();
        }

        final CountDownLatch second = new CountDownLatch(1);
        final CountDownLatch inB = new CountDownLatch(1);
        boolean first = true;

        WaitingParallel() {
            super(Circles.class.getClassLoader());
        }

        @Override
        public Class<?> loadClass(String n) throws ClassNotFoundException {
            if (n.equals("B") && first) {
                first = false;
                second.countDown();
                try {
                    inB.await();
                } catch (InterruptedException e) {
                    throw new Error(e);
                }
            }
            synchronized (getClassLoadingLock(n)) {
                Class<?> c = findLoadedClass(n);
                if (c != null) {
                    return c;
                }
                if (n.equals("B")) {
                    inB.countDown();
                }
                if (n.equals("A") || n.equals("B")) {
                    byte[] b = new Asm(55, 33, n, n.equals("A") ? "B" : "A").bytes();
                    return defineClass(n, b, 0, b.length);
                }
                return super.loadClass(n);
            }
        }
    }

    static void twoThreads(String what, ClassLoader l, CountDownLatch second) throws Exception {
        Object[] results = new Object[2];
        Thread one = new Thread(() -> results[0] = attempt(() -> Class.forName("A", false, l)));
        Thread two = new Thread(() -> results[1] = attempt(() -> Class.forName("B", false, l)));
        one.start();
        second.await();
        two.start();
        two.join();
        one.join();
        for (Object r : results) {
            System.out.println(what + ": " + r.toString().replaceAll(": [AB]", ""));
        }
    }

    public static void main(String[] args) throws Exception {
        for (String steps : "1 n l m r o 0 11 1n n1 1l l1 ln nl r1 1r 01 10 o1".split(" ")) {
            for (boolean parallel : new boolean[] {false, true}) {
                nested(steps, parallel, 0x13);
                nested(steps, parallel, 0xb8);
            }
        }
        byName();
        Waiting w = new Waiting();
        twoThreads("waits on its loader", w, w.second);
        WaitingParallel p = new WaitingParallel();
        twoThreads("parallel", p, p.second);
    }
}
