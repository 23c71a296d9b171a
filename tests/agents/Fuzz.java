// SPDX-License-Identifier: Apache-2.0
// Every function of JVM TI with random arguments from several threads, in callbacks and unattached, while a
// program runs and collections happen: no crash, no hang, no error that the specification does not list.
// By hand for longer: -Dfuzz.seconds=600; FUZZ_SEED in the environment repeats a run (it is printed on stderr).
// @agent ti_fuzz
// @only pellucid
// @flags -Xmx96m -Xlog:disable
// @modes asan stress
// @timeout 120
// @alone
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Fuzz {
    static final int PUPPETS = 3, BUSY = 4, CALLERS = 4;
    static volatile boolean stop;
    static volatile long progress; // of the thread that runs the mutant
    static Object sink;

    static native void prepare(Class<?>[] classes, Object[] objects, Module[] modules, Class<?> mutant, byte[] bytes);

    static native void run(Thread[] watched, int puppets, int threads, int millis);

    static native void stop(Thread thread, Throwable with);

    // Calls only the functions that have to do with tags.
    static native void tagsOnly();

    interface Shape {
        int area(int scale);
    }

    static class Oops extends RuntimeException {
        Oops() {
            super(null, null, false, false);
        }
    }

    static final Oops OOPS = new Oops();

    // What is redefined with changed bytes; whatever it does then stays in it.
    static class Mutant implements Shape {
        static int count;
        int field = 3;
        long wide = 4;
        String text = "text";
        Object next;

        public int area(int scale) {
            int sum = scale;
            for (int i = 0; i < 10; i++)
                sum += field * i;
            next = text;
            return sum;
        }

        synchronized long twice(long x, double d) {
            wide += x;
            count++;
            return x * 2 + (long) d;
        }

        static Object choose(int i, Object a) {
            switch (i) {
            case 0: return a;
            case 1: return new int[i];
            default: throw OOPS;
            }
        }
    }

    // Its frames are popped, left early and written to. It calls nothing but itself and its like.
    static class Puppet extends Thread implements Shape {
        int number;
        long wide;
        Object held;
        int[] numbers = new int[16];

        @Override
        public void run() {
            while (!stop) {
                try {
                    number = deep(20, 7L, 2.5f, 1.5, this);
                    held = made(number);
                    locked(3);
                } catch (Throwable thrown) {
                    held = thrown;
                }
            }
        }

        int deep(int depth, long l, float f, double d, Shape shape) {
            int here = depth + (int) l;
            Object[] local = new Object[] {shape, numbers};
            if (depth > 0)
                here += deep(depth - 1, l + 1, f * 2, d / 2, shape);
            else
                throwing(depth);
            wide += here;
            held = local;
            return here + shape.area(depth) + (int) half(f) + (int) root(d);
        }

        float half(float f) {
            float sum = 0;
            for (int i = 0; i < 10; i++)
                sum += f / 2;
            return sum;
        }

        double root(double d) {
            double x = d;
            for (int i = 0; i < 10; i++)
                x = (x + d / x) / 2;
            return x;
        }

        void throwing(int i) {
            try {
                if (i == 0)
                    throw OOPS;
                number = i;
            } catch (Oops oops) {
                number = -1;
            } finally {
                wide++;
            }
        }

        Object made(int n) {
            Object chain = null;
            for (int i = 0; i < 50; i++)
                chain = new Object[] {chain, numbers};
            return chain;
        }

        synchronized long locked(int n) {
            long sum = 0;
            synchronized (numbers) {
                for (int i = 0; i < numbers.length; i++)
                    sum += numbers[i] + n;
            }
            return sum;
        }

        @Override
        public int area(int scale) {
            return scale * 3;
        }
    }

    // A thread that does ordinary things, and goes on whatever happens.
    abstract static class Busy extends Thread {
        @Override
        public void run() {
            while (!stop) {
                try {
                    once();
                } catch (Throwable thrown) {
                    sink = thrown;
                }
            }
        }

        abstract void once() throws Exception;
    }

    static class Loading extends Busy {
        final byte[] bytes;

        Loading(byte[] bytes) {
            this.bytes = bytes;
        }

        void once() throws Exception {
            ClassLoader loader = new ClassLoader(null) {
                @Override
                protected Class<?> findClass(String name) throws ClassNotFoundException {
                    return name.equals("Fuzz$Mutant") ? defineClass(name, bytes, 0, bytes.length)
                                                      : Class.forName(name);
                }
            };
            sink = loader.loadClass("Fuzz$Mutant").getDeclaredConstructor().newInstance();
            Thread.sleep(5);
        }
    }

    static class Monitors extends Busy {
        static final Object lock = new Object();

        void once() throws Exception {
            synchronized (lock) {
                lock.notify();
                lock.wait(2);
            }
        }
    }

    static class Starting extends Busy {
        void once() throws Exception {
            List<String> list = new ArrayList<>();
            Map<Integer, String> map = new HashMap<>();
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 100; i++) {
                    list.add("number " + i);
                    map.put(i, list.get(i));
                }
            });
            thread.start();
            thread.join();
            sink = map;
        }
    }

    static class Running extends Busy {
        void once() {
            Mutant mutant = new Mutant();
            progress++;
            sink = mutant.area(2) + mutant.twice(4, 2.0);
            sink = Mutant.choose(1, mutant);
        }
    }

    // Starts again what has ended, and stops what hangs in changed code.
    static void keep(Thread[] threads, byte[] bytes) throws Exception {
        long before = -1;
        while (!stop) {
            for (int i = 0; i < threads.length; i++)
                if (threads[i] == null || !threads[i].isAlive()) {
                    Thread thread = make(i, bytes);
                    thread.setDaemon(true);
                    thread.start();
                    threads[i] = thread;
                }
            Thread.sleep(500);
            if (progress == before)
                stop(threads[PUPPETS + BUSY], OOPS);
            before = progress;
        }
    }

    static Thread make(int i, byte[] bytes) {
        if (i < PUPPETS)
            return new Puppet();
        switch (i - PUPPETS) {
        case 0: return new Loading(bytes);
        case 1: return new Starting();
        case BUSY: return new Running();
        default: return new Monitors();
        }
    }

    static byte[] bytesOf(String name) throws Exception {
        try (InputStream in = Fuzz.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }

    public static void main(String[] args) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> sink = thrown); // of puppets without a `this`
        byte[] bytes = bytesOf("Fuzz$Mutant.class");
        Thread dead = new Thread(() -> { });
        dead.start();
        dead.join();
        Puppet unstarted = new Puppet();
        unstarted.deep(3, 1, 1, 1, unstarted);
        unstarted.made(1);
        unstarted.locked(1);
        Class<?>[] classes = {Mutant.class, Puppet.class, Shape.class, Oops.class, Fuzz.class, Object.class, String.class,
            Class.class, Thread.class, int.class, void.class, int[].class, String[][].class, ClassLoader.class, HashMap.class,
            WeakReference.class, Thread.State.class, Runnable.class, Override.class, Mutant[].class};
        Object[] objects = {"text", new Mutant(), unstarted, dead, new int[10], new Object[] {"a", 1}, Fuzz.class,
            Thread.currentThread().getThreadGroup(), Fuzz.class.getClassLoader(), OOPS, Fuzz.class.getModule(),
            new WeakReference<>(new Object()), int.class, Monitors.lock};
        Module[] modules = {Fuzz.class.getModule(), Object.class.getModule(), java.util.logging.Level.class.getModule()};
        prepare(classes, objects, modules, Mutant.class, bytes);
        Thread[] threads = new Thread[PUPPETS + BUSY + 2];
        threads[PUPPETS + BUSY + 1] = Thread.currentThread();
        for (int i = 0; i <= PUPPETS + BUSY; i++) {
            threads[i] = make(i, bytes);
            threads[i].setDaemon(true);
            threads[i].start();
        }
        Thread keeper = new Thread(() -> {
            while (!stop) {
                try {
                    keep(threads, bytes);
                } catch (Throwable thrown) {
                    sink = thrown;
                }
            }
        });
        keeper.setDaemon(true);
        keeper.start();
        run(threads, PUPPETS, CALLERS, Integer.getInteger("fuzz.seconds", 20) * 1000);
        stop = true;
        System.out.println("end");
    }
}
