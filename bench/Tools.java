// SPDX-License-Identifier: Apache-2.0
// What tools cost: one row an operation of JVM TI, done through tools_agent.c. `Tools list` prints the table, a row a line, for run.py;
// `Tools <row> [repeats]` measures one and prints operations and nanoseconds of CPU time of the process: without the tool's doing and
// with it, each the least of the repeats.
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.util.*;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.*;

public class Tools {
    // ---- the agent ----
    static native long cpu(); // of the process
    static native long events(); // callbacks since the start
    static native void enable(int event, Thread thread, boolean on); // thread null: all
    static native void breakpoint(Class<?> c, String method, long location, boolean on); // static ()V
    static native void watch(Class<?> c, String field, boolean modification, boolean on); // static int
    static native void notifyFramePop(int depth);
    static native void samplingInterval(int bytes);
    static native void tagAll(Object[] objects, long first, long step); // first, first + step ...
    // Loops over one function, n times
    static native void setTags(Object[] objects, long n);
    static native void getTags(Object[] objects, long n);
    static native void getObjectsWithTags(long tag, long n);
    static native long iterateThroughHeap(boolean tag); // gives the number of callbacks
    static native long followReferences(boolean tag);
    static native void getStackTrace(Thread thread, int depth, long n);
    static native void ownedMonitors(long n);
    static native void ownedMonitorDepths(long n);
    static native void getAllStackTraces(long n);
    static native void getLocalInt(Thread thread, long n); // slot 0 of the caller, or of the top Java frame
    static native void setLocalInt(int depth, int value); // of slot 0
    static native void redefine(Class<?>[] classes, byte[] bytes, long n);
    static native void retransform(Class<?>[] classes, long n);
    static native void suspendAndResume(Thread thread, long n);
    static native void rawMonitor(long n);
    static native void allocate(int size, long n);

    static final int THREAD_START = 52, THREAD_END = 53, CLASS_FILE_LOAD_HOOK = 54, EXCEPTION = 58, EXCEPTION_CATCH = 59, SINGLE_STEP = 60,
            FRAME_POP = 61, BREAKPOINT = 62, FIELD_ACCESS = 63, FIELD_MODIFICATION = 64, METHOD_ENTRY = 65, METHOD_EXIT = 66, OBJECT_FREE = 83,
            VM_OBJECT_ALLOC = 84, SAMPLED_OBJECT_ALLOC = 86;

    // ---- rows ----
    // COST: CPU time with it less that without, by operations. CALL: CPU time by operations. SELF: the time of code with it by that without,
    // turned on and off in one process. START: the same, between processes with and without the row's options.
    enum Kind { COST, CALL, SELF, START }

    static abstract class Case {
        void on(boolean on) {
        }
        abstract long work(long n) throws Exception; // the number of operations
        long limit() { // of n
            return Long.MAX_VALUE;
        }
        boolean repeats() { // whether doing it again costs the same
            return true;
        }
    }

    static class Row {
        final Kind kind;
        final String name, title, target, capabilities, options;
        final Supplier<Case> make;
        Row(Kind kind, String name, String title, String target, String capabilities, String options, Supplier<Case> make) {
            this.kind = kind;
            this.name = name;
            this.title = title;
            this.target = target;
            this.capabilities = capabilities;
            this.options = options;
            this.make = make;
        }
    }

    static final Map<String, Row> rows = new LinkedHashMap<>();
    static void row(Kind kind, String name, String title, String target, String capabilities, String options, Supplier<Case> make) {
        rows.put(name, new Row(kind, name, title, target, capabilities, options, make));
    }
    static void cost(String name, String title, String target, String capabilities, Supplier<Case> make) {
        row(Kind.COST, name, title, target, capabilities, "", make);
    }
    static void call(String name, String title, String target, String capabilities, Supplier<Case> make) {
        row(Kind.CALL, name, title, target, capabilities, "", make);
    }
    static void self(String name, String title, String target, String capabilities, Supplier<Case> make) {
        row(Kind.SELF, name, title, target, capabilities, "", make);
    }

    static {
        cost("method", "MethodEntry and MethodExit, a call", "1/4", "method_entry,method_exit", Methods::new);
        cost("step", "SingleStep, a step", "1/4", "single_step", () -> new Plain(SINGLE_STEP, Tools::steps));
        cost("breakpoint", "Breakpoint, a hit", "1/4", "breakpoint", Hits::new);
        cost("access", "FieldAccess, a hit", "1/4", "field_access", () -> new Watched(false));
        cost("modification", "FieldModification, a hit", "1/4", "field_modification", () -> new Watched(true));
        cost("pop20", "NotifyFramePop and FramePop, depth 20", "1/20", "frame_pop", () -> new Pops(20));
        cost("pop1000", "NotifyFramePop and FramePop, depth 1,000", "1/500", "frame_pop", () -> new Pops(1000));
        cost("exception", "Exception and ExceptionCatch one frame up", "1/10", "exception", Exceptions::new);
        cost("vmalloc", "VMObjectAlloc, an object", "-", "vm_object_alloc", () -> new Plain(VM_OBJECT_ALLOC, Tools::reflectiveArrays));
        cost("sample0", "SampledObjectAlloc, interval 0, an object", "1/4", "sampled_object_alloc", () -> new Samples(0));
        cost("sample512k", "SampledObjectAlloc, interval 512 KiB, an object", "-", "sampled_object_alloc", () -> new Samples(512 << 10));
        cost("free", "ObjectFree, an object", "1/2", "tag_objects,object_free", Frees::new);
        cost("classfile", "ClassFileLoadHook, a class", "1", "all_class_hooks", ClassFiles::new);

        // The whole of a thread: what the events add is less than it varies by
        call("thread", "a thread that starts and ends, with ThreadStart and ThreadEnd", "1", "", Lives::new);
        call("settag", "SetTag", "1/3", "tag_objects", () -> new Each(new Object[10_000], Tools::setTags));
        call("gettag", "GetTag", "1/3", "tag_objects", () -> new Each(new Object[10_000], Tools::getTags));
        for (int millions : new int[] {1, 10}) {
            String options = millions == 1 ? "-Xmx1g -Xms1g" : "-Xmx8g -Xms2g", m = millions + " million objects, ";
            for (boolean tag : new boolean[] {false, true}) {
                String what = tag ? "tagging each" : "a callback", target = tag ? "1/3" : "1/2", suffix = millions + (tag ? "mtag" : "m");
                heap("iterate" + suffix, "IterateThroughHeap, " + m + what, target, options, millions, tag, Tools::iterateThroughHeap);
                heap("follow" + suffix, "FollowReferences, " + m + what, target, options, millions, tag, Tools::followReferences);
            }
        }
        row(Kind.CALL, "withtag", "GetObjectsWithTags, 1 of 10 million", "1/10", "tag_objects", "-Xmx8g -Xms2g", () -> new OneTag(1));
        row(Kind.CALL, "strewn", "the same, the tags given in no order", "1/10", "tag_objects", "-Xmx8g -Xms2g", () -> new OneTag(0xd1342543de82ef95L));
        for (int depth : new int[] {10, 100, 1000})
            call("stack" + depth, "GetStackTrace, own thread, depth " + depth, "-", "", () -> new OwnStack(depth));
        for (int depth : new int[] {10, 23, 100, 1000})
            call("other" + depth, "GetStackTrace, other thread, depth " + depth, depth == 23 ? "1/4" : "-", "", () -> new OtherStack(depth));
        call("top10", "GetStackTrace, the top 10 frames of 1,000", "1/2", "", () -> new TopOfStack(1000, 10));
        call("owned", "GetOwnedMonitorInfo, 10 monitors", "1/2", "owned_monitor", () -> new Owner(10, Tools::ownedMonitors));
        call("owneddepth", "GetOwnedMonitorStackDepthInfo, 10 monitors", "1/2", "owned_monitor_stack_depth",
                () -> new Owner(10, Tools::ownedMonitorDepths));
        for (int threads : new int[] {10, 100, 1000})
            call("all" + threads, "GetAllStackTraces, " + threads + " threads", threads == 100 ? "1/2" : "-", "", () -> new AllStacks(threads));
        call("local", "GetLocalInt, own thread", "1/20", "access_local_variables", () -> new Simple(n -> getLocalInt(null, n)));
        call("otherlocal", "GetLocalInt, other thread", "-", "access_local_variables",
                () -> new OnThread((thread, n) -> getLocalInt(thread, n)));
        compiledFrames();
        for (int classes : new int[] {1, 100}) {
            String target = classes == 1 ? "1/2" : "-", of = classes + (classes == 1 ? " class" : " classes") + " of 500";
            call("redefine" + classes, "RedefineClasses, " + of, target, "redefine_classes", () -> new Redefinition(classes, false));
            call("retransform" + classes, "RetransformClasses, " + of, target, "retransform_classes", () -> new Redefinition(classes, true));
        }
        call("suspend", "SuspendThread and ResumeThread", "1/2", "suspend", () -> new OnThread(Tools::suspendAndResume));
        call("rawmonitor", "RawMonitorEnter and RawMonitorExit", "1/2", "", () -> new Simple(Tools::rawMonitor));
        call("allocate", "Allocate and Deallocate, 100 bytes", "1/2", "", () -> new Simple(n -> allocate(100, n)));

        row(Kind.START, "capable", "an agent that holds every capability", "1.02", "all", "", Mix::new);
        row(Kind.START, "jdwp", "jdwp, idle", "1.02", "", "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0,quiet=y", Mix::new);
        self("unreached", "a method with a breakpoint that is not reached", "1.05", "breakpoint", Unreached::new);
        self("nothit", "code that touches other fields, a watch being set", "1.05", "field_access,field_modification", NotHit::new);
        self("neverhit", "all other code, a watch that is never hit", "1.05", "field_access,field_modification", OtherCode::new);
        self("pending", "a NotifyFramePop pending in main", "1.05", "frame_pop", Pending::new);
        self("idlestep", "an idle thread being single-stepped", "1.05", "single_step", IdleStep::new);
        self("after", "the last agent has disabled its events", "1.02",
                "method_entry,method_exit,single_step,exception,vm_object_alloc,sampled_object_alloc", After::new);
    }
    static void compiledFrames() {
        String locals = "access_local_variables";
        call("hotlocal", "GetLocalInt, own thread, a compiled frame", "-", locals, () -> new HotFrames(1, n -> getLocalInt(null, n)));
        call("otherhotlocal", "GetLocalInt, other thread, a compiled frame", "-", locals, () -> new OnHotThread(1, Tools::getLocalInt));
        cost("hotset", "SetLocalInt, own thread, each of another compiled frame", "-", locals, Sets::new);
        call("hotstack", "GetStackTrace, own thread, each of 1,000 compiled frames", "-", "",
                () -> new HotFrames(1000, n -> getStackTrace(null, 1000, n)));
        call("otherhotstack", "GetStackTrace, other thread, each of 1,000 compiled frames", "-", "",
                () -> new OnHotThread(1000, (thread, n) -> getStackTrace(thread, 1000, n)));
    }
    static void heap(String name, String title, String target, String options, int millions, boolean tag, Function<Boolean, Long> walk) {
        row(Kind.CALL, name, title, target, "tag_objects", options, () -> new Walk(millions * 1_000_000, tag, walk));
    }

    // ---- events ----
    static int value;
    static volatile Object sink;

    interface Loop {
        void run(long n) throws Exception;
    }

    // A loop that makes events of one kind.
    static class Plain extends Case {
        final int event;
        final Loop loop;
        Plain(int event, Loop loop) {
            this.event = event;
            this.loop = loop;
        }
        @Override
        void on(boolean on) {
            enable(event, null, on);
        }
        @Override
        long work(long n) throws Exception {
            long before = events();
            loop.run(n);
            return events() - before;
        }
    }

    static int callee(int i) {
        return i + 1;
    }
    static void calls(long n) {
        int k = 0;
        for (long i = 0; i < n; i++)
            k = callee(k);
        value = k;
    }
    static void steps(long n) {
        int k = 0;
        for (long i = 0; i < n; i++)
            k = k * 31 + (int) i;
        value = k;
    }
    static void empty() {
    }
    static void emptyCalls(long n) {
        for (long i = 0; i < n; i++)
            empty();
    }
    static final int[] lengths = {4};
    static void reflectiveArrays(long n) { // Array.multiNewArray is native on both
        for (long i = 0; i < n; i++)
            sink = Array.newInstance(int.class, lengths);
    }
    static void objects(long n) {
        for (long i = 0; i < n; i++)
            sink = new Object();
    }

    static class Methods extends Plain {
        Methods() {
            super(METHOD_ENTRY, Tools::calls);
        }
        @Override
        void on(boolean on) {
            super.on(on);
            enable(METHOD_EXIT, null, on);
        }
        @Override
        long work(long n) throws Exception {
            return super.work(n) / 2;
        }
    }

    static class Hits extends Plain {
        Hits() {
            super(BREAKPOINT, Tools::emptyCalls);
        }
        @Override
        void on(boolean on) {
            super.on(on);
            breakpoint(Tools.class, "empty", 0, on);
        }
    }

    static class Watched extends Plain {
        static int field;
        final boolean modification;
        Watched(boolean modification) {
            super(modification ? FIELD_MODIFICATION : FIELD_ACCESS, modification ? Watched::write : Watched::read);
            this.modification = modification;
        }
        static void read(long n) {
            int sum = 0;
            for (long i = 0; i < n; i++)
                sum += field;
            value = sum;
        }
        static void write(long n) {
            for (long i = 0; i < n; i++)
                field = (int) i;
        }
        @Override
        void on(boolean on) {
            super.on(on);
            watch(Watched.class, "field", modification, on);
        }
    }

    static class Pops extends Plain {
        static boolean notifying;
        Pops(int depth) {
            super(FRAME_POP, n -> descend(depth, n));
        }
        static void descend(int depth, long n) {
            if (depth > 0)
                descend(depth - 1, n);
            else
                for (long i = 0; i < n; i++)
                    popped();
        }
        static void popped() {
            if (notifying)
                notifyFramePop(1); // the frame below the native method's
        }
        @Override
        void on(boolean on) {
            super.on(on);
            notifying = on;
        }
    }

    static class Exceptions extends Plain {
        static final RuntimeException exception = new RuntimeException();
        Exceptions() {
            super(EXCEPTION, Exceptions::catches);
        }
        static void thrower() {
            throw exception;
        }
        static void catches(long n) {
            for (long i = 0; i < n; i++)
                try {
                    thrower();
                } catch (RuntimeException e) {
                    value++;
                }
        }
        @Override
        void on(boolean on) {
            super.on(on);
            enable(EXCEPTION_CATCH, null, on);
        }
        @Override
        long work(long n) throws Exception {
            return super.work(n) / 2;
        }
    }

    static class Samples extends Plain {
        Samples(int interval) {
            super(SAMPLED_OBJECT_ALLOC, Tools::objects);
            samplingInterval(interval);
        }
        @Override
        long work(long n) throws Exception {
            super.work(n);
            return n;
        }
    }

    // One collection frees n objects. HotSpot tells of them later, in a thread of its own.
    static class Frees extends Case {
        boolean tagging;
        @Override
        void on(boolean on) {
            enable(OBJECT_FREE, null, on);
            tagging = on;
        }
        @Override
        long work(long n) throws Exception {
            Object[] objects = filled((int) n);
            if (tagging)
                tagAll(objects, 1, 1);
            objects = null;
            long before = events();
            restart();
            System.gc();
            while (tagging && events() - before < n)
                Thread.sleep(1);
            return n;
        }
        @Override
        long limit() {
            return 1 << 20;
        }
    }
    static Object[] filled(int n) {
        Object[] objects = new Object[n];
        for (int i = 0; i < n; i++)
            objects[i] = new Object();
        return objects;
    }

    // A class that is defined many times.
    public static class Tiny {
        int a;
        static long total;
        int get() {
            return a;
        }
        void set(int now) {
            a = now;
            total += now;
        }
        static String name(Tiny t) {
            return t == null ? "none" : "tiny" + t.a;
        }
    }
    static class Definer extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass("Tools$Tiny", bytes, 0, bytes.length);
        }
    }
    static byte[] tinyBytes() {
        try (InputStream in = Tools.class.getResourceAsStream("Tools$Tiny.class")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static class ClassFiles extends Plain {
        static final byte[] bytes = tinyBytes();
        ClassFiles() {
            super(CLASS_FILE_LOAD_HOOK, ClassFiles::define);
        }
        static void define(long n) {
            for (long i = 0; i < n; i++)
                new Definer().define(bytes);
        }
        @Override
        long limit() {
            return 1 << 14;
        }
    }

    static class Lives extends Case {
        Lives() {
            enable(THREAD_START, null, true);
            enable(THREAD_END, null, true);
        }
        @Override
        long work(long n) throws Exception {
            for (long i = 0; i < n; i++) {
                Thread t = new Thread(Tools::empty);
                t.start();
                t.join();
            }
            return n;
        }
    }

    // ---- functions ----
    static class Simple extends Case {
        final Loop loop;
        Simple(Loop loop) {
            this.loop = loop;
        }
        @Override
        long work(long n) throws Exception {
            loop.run(n);
            return n;
        }
    }

    static class Each extends Simple { // of some tagged objects
        Each(Object[] objects, BiConsumer<Object[], Long> loop) {
            super(n -> loop.accept(objects, n));
            Arrays.setAll(objects, i -> new Object());
            tagAll(objects, 1, 1);
        }
    }

    static class Node {
        Object next;
        int number;
    }
    static Object[] nodes(int n) { // n, in arrays of a thousand
        Object[] all = new Object[n / 1000];
        for (int i = 0; i < all.length; i++) {
            Node[] some = new Node[1000];
            for (int k = 0; k < some.length; k++)
                some[k] = new Node();
            all[i] = some;
        }
        System.gc();
        return all;
    }

    static class Walk extends Case {
        final Object[] kept;
        final boolean tag;
        final Function<Boolean, Long> walk;
        Walk(int n, boolean tag, Function<Boolean, Long> walk) {
            kept = nodes(n);
            this.tag = tag;
            this.walk = walk;
        }
        @Override
        long work(long n) {
            return walk.apply(tag);
        }
        @Override
        long limit() {
            return 1;
        }
        @Override
        boolean repeats() {
            return !tag; // objects have an identity hash after the first tag
        }
    }

    static class OneTag extends Simple {
        final Object[] kept = nodes(10_000_000);
        OneTag(long factor) { // odd: each object has a tag of its own
            super(n -> getObjectsWithTags(5_000_000 * factor, n));
            for (int i = 0; i < kept.length; i++)
                tagAll((Object[]) kept[i], (i * 1000L + 1) * factor, factor);
        }
    }

    static class OwnStack extends Simple {
        OwnStack(int depth) {
            super(n -> descend(depth, n));
        }
        static void descend(int depth, long n) { // the native method and those that called this one count too
            if (depth - 8 > 0)
                descend(depth - 1, n);
            else
                getStackTrace(null, depth + 1000, n);
        }
    }

    // The loop runs below so many frames of a compiled method. It counts once for each.
    static class HotFrames extends Simple {
        final int depth;
        HotFrames(int depth, Loop loop) {
            super(n -> down(depth, loop, n));
            this.depth = depth;
            warm(() -> down(depth, n -> { }, 0));
        }
        static int down(int depth, Loop loop, long n) throws Exception {
            if (depth > 0)
                return down(depth - 1, loop, n) + 1;
            loop.run(n);
            return 0;
        }
        static void warm(Callable<Object> code) {
            try {
                for (long until = System.nanoTime() + 500_000_000; System.nanoTime() < until; )
                    for (int i = 0; i < 100; i++)
                        code.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        @Override
        long work(long n) throws Exception {
            return super.work(n) * depth;
        }
    }
    // The same on a thread that waits below such frames.
    static class OnHotThread extends Simple {
        final int depth;
        OnHotThread(int depth, BiConsumer<Thread, Long> loop) {
            this(waitingBelow(depth), depth, loop);
        }
        OnHotThread(Thread thread, int depth, BiConsumer<Thread, Long> loop) {
            super(n -> loop.accept(thread, n));
            this.depth = depth;
        }
        static Thread waitingBelow(int depth) {
            CountDownLatch ready = new CountDownLatch(1);
            HotFrames.warm(() -> HotFrames.down(depth, n -> { }, 0));
            return waiting(ready, () -> {
                try {
                    HotFrames.down(depth, n -> sit(0, ready), 0);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        @Override
        long work(long n) throws Exception {
            return super.work(n) * depth;
        }
    }
    static class Sets extends Simple {
        static boolean setting;
        Sets() {
            super(Sets::sets);
        }
        static int set(int local) {
            if (setting)
                setLocalInt(1, 7); // of the frame below the native method's
            return local;
        }
        static void sets(long n) {
            for (long i = 0; i < n; i++)
                value += set((int) i);
        }
        @Override
        void on(boolean on) {
            setting = on;
        }
    }

    // Threads that wait with a number of frames.
    static Thread waiting(int depth) {
        CountDownLatch ready = new CountDownLatch(1);
        return waiting(ready, () -> sit(depth - 4, ready));
    }
    static Thread waiting(CountDownLatch ready, Runnable code) {
        Thread t = new Thread(code);
        t.setDaemon(true);
        t.start();
        try {
            ready.await();
            while (t.getState() != Thread.State.WAITING)
                Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return t;
    }
    static void sit(int depth, CountDownLatch ready) { // sit ... sit, Object.wait, Object.wait
        if (depth > 0) {
            sit(depth - 1, ready);
            return;
        }
        Object lock = new Object();
        synchronized (lock) {
            ready.countDown();
            while (true)
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    return;
                }
        }
    }

    static class OtherStack extends Simple {
        OtherStack(int depth) {
            this(waiting(depth), depth);
        }
        OtherStack(Thread thread, int depth) {
            super(n -> getStackTrace(thread, depth, n));
        }
    }
    static class TopOfStack extends Simple {
        TopOfStack(int depth, int top) {
            super(n -> descend(depth, top, n));
        }
        static void descend(int depth, int top, long n) {
            if (depth > 0)
                descend(depth - 1, top, n);
            else
                getStackTrace(null, top, n);
        }
    }
    // The thread holds so many monitors, one a frame.
    static class Owner extends Simple {
        Owner(int monitors, Loop loop) {
            super(n -> hold(monitors, loop, n));
        }
        static void hold(int monitors, Loop loop, long n) throws Exception {
            if (monitors == 0) {
                loop.run(n);
                return;
            }
            synchronized (new Object()) {
                hold(monitors - 1, loop, n);
            }
        }
    }
    static class AllStacks extends Simple {
        AllStacks(int threads) {
            super(Tools::getAllStackTraces);
            for (int i = 0; i < threads; i++)
                waiting(10);
        }
    }
    static class OnThread extends Simple {
        OnThread(BiConsumer<Thread, Long> loop) {
            this(waiting(10), loop);
        }
        OnThread(Thread thread, BiConsumer<Thread, Long> loop) {
            super(n -> loop.accept(thread, n));
        }
    }

    static class Redefinition extends Case {
        final byte[] bytes = tinyBytes();
        final Class<?>[] all = new Class<?>[500], some;
        final boolean retransform;
        Redefinition(int count, boolean retransform) {
            Arrays.setAll(all, i -> new Definer().define(bytes));
            some = Arrays.copyOf(all, count);
            this.retransform = retransform;
        }
        @Override
        long work(long n) {
            if (retransform)
                retransform(some, n);
            else
                redefine(some, bytes, n);
            return n;
        }
    }

    // ---- other code ----
    static class Mix extends Case { // calls, fields, arrays, allocation
        static int count;
        int member;
        static int fib(int n) {
            return n < 2 ? n : fib(n - 1) + fib(n - 2);
        }
        static void fields(Mix m, int n) {
            for (int i = 0; i < n; i++) {
                m.member += i;
                count ^= m.member;
            }
        }
        static int arrays(int n) {
            int[] a = new int[n];
            for (int i = 1; i < n; i++)
                a[i] = a[i - 1] * 31 + i;
            return a[n - 1];
        }
        static Object strings(int n) {
            Map<String, Integer> map = new HashMap<>();
            for (int i = 0; i < n; i++)
                map.merge("k" + i % 100, i, Integer::sum);
            return map;
        }
        @Override
        long work(long n) {
            for (long i = 0; i < n; i++) {
                value += fib(15);
                fields(this, 3000);
                value += arrays(3000);
                sink = strings(300);
            }
            return n;
        }
    }

    static class Unreached extends Case {
        static boolean never;
        @Override
        void on(boolean on) {
            enable(BREAKPOINT, null, on);
            breakpoint(Unreached.class, "loop", 6, on);
        }
        static void loop() {
            if (never) // 0: getstatic, 3: ifeq
                value++; // 6
            int a = 1;
            for (int i = 0; i < 20_000; i++)
                a = a * 31 + i ^ a >>> 7;
            value = a;
        }
        @Override
        long work(long n) {
            for (long i = 0; i < n; i++)
                loop();
            return n;
        }
    }

    static class NotHit extends Case {
        static int watched, other;
        @Override
        void on(boolean on) {
            enable(FIELD_ACCESS, null, on);
            enable(FIELD_MODIFICATION, null, on);
            watch(NotHit.class, "watched", false, on);
            watch(NotHit.class, "watched", true, on);
        }
        @Override
        long work(long n) {
            for (long i = 0; i < n; i++)
                for (int k = 0; k < 10_000; k++)
                    other += k;
            return n;
        }
    }

    static class OtherCode extends Mix {
        @Override
        void on(boolean on) {
            enable(FIELD_ACCESS, null, on);
            enable(FIELD_MODIFICATION, null, on);
            watch(NotHit.class, "watched", false, on);
            watch(NotHit.class, "watched", true, on);
        }
    }

    static class Pending extends Mix {
        boolean notifying;
        @Override
        void on(boolean on) {
            enable(FRAME_POP, null, on);
            notifying = on;
        }
        @Override
        long work(long n) {
            if (notifying)
                notifyFramePop(1);
            return super.work(n);
        }
    }

    static class IdleStep extends Mix {
        final Thread idle = waiting(10);
        @Override
        void on(boolean on) {
            enable(SINGLE_STEP, idle, on);
        }
    }

    // Every event on and off again: what is "with it" here comes after it.
    static class After extends Mix {
        static final int[] all = {METHOD_ENTRY, METHOD_EXIT, SINGLE_STEP, EXCEPTION, EXCEPTION_CATCH, VM_OBJECT_ALLOC, SAMPLED_OBJECT_ALLOC,
                                  THREAD_START, THREAD_END};
        @Override
        void on(boolean on) {
            if (!on)
                return;
            for (int event : all)
                enable(event, null, true);
            super.work(1);
            for (int event : all)
                enable(event, null, false);
        }
    }

    // ---- measuring ----
    static final long ENOUGH = 100_000_000; // nanoseconds that a repeat takes at least
    static long began, operations;
    static void restart() { // what was done before is not counted
        began = cpu();
    }

    static long once(Case c, long n) throws Exception {
        restart();
        operations = c.work(n);
        return cpu() - began;
    }
    // The n for which work takes long enough.
    static long calibrate(Case c) throws Exception {
        long n = 1;
        for (long took; n < c.limit() && (took = once(c, n)) < ENOUGH; )
            n = took < ENOUGH / 16 ? n * 8 : n * 2;
        return Math.min(n, c.limit());
    }
    static long least(Case c, long n, int repeats) throws Exception {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < repeats; i++)
            best = Math.min(best, once(c, n));
        return best;
    }

    static void measureCost(Case c, int repeats) throws Exception {
        c.on(true);
        long n = calibrate(c);
        c.on(false);
        least(c, n, 2 * repeats); // till it is compiled
        long off = least(c, n, repeats);
        c.on(true);
        long on = least(c, n, repeats);
        c.on(false);
        print(off, on);
    }
    static void measureSelf(Case c, int repeats) throws Exception {
        c.on(true);
        long n = calibrate(c), off = Long.MAX_VALUE, on = Long.MAX_VALUE;
        c.on(false);
        least(c, n, repeats);
        for (int i = 0; i < 2 * repeats; i++) {
            off = Math.min(off, least(c, n, 1));
            c.on(true);
            on = Math.min(on, least(c, n, 1));
            c.on(false);
        }
        print(off, on);
    }
    static void measureCall(Case c, int repeats) throws Exception {
        long n = calibrate(c);
        print(0, least(c, n, c.repeats() ? repeats : 1));
    }
    static void print(long off, long on) {
        System.out.println("result " + operations + " " + off + " " + on);
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("list")) {
            for (Row row : rows.values())
                System.out.println(String.join("\t", row.kind.name(), row.name, row.title, row.target, row.capabilities, row.options));
            return;
        }
        System.load(System.getProperty("agent"));
        Row row = rows.get(args[0]);
        int repeats = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        Case c = row.make.get();
        if (row.kind == Kind.COST)
            measureCost(c, repeats);
        else if (row.kind == Kind.SELF)
            measureSelf(c, repeats);
        else
            measureCall(c, row.kind == Kind.START ? 3 * repeats : repeats);
    }
}
