// SPDX-License-Identifier: Apache-2.0
// Breakpoints and watched fields in code that is hot by then: each hit is told, with the frame as it is there, and what the agent does to the
// frame holds: locals that are set, returns that are forced, frames that are popped, exceptions, steps, breakpoints that come and go.
// @agent ti_hot_events
// @javac -g
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions -XX:+JitAll
// @quick
// @timeout 120
// @modes asan stress
public class HotEvents {
    static final int NOTHING = 0, SET_LOCAL = 1, THROW = 2, RETURN = 3, CLEAR = 4, STEP = 5, POP = 6, MOVE = 7, COLLECT = 8;

    static native int[] places(String method); // where instructions of a method of Work begin
    static native void breakAt(String method, int location, boolean on);
    static native void breakInit(boolean on); // at the beginning of Object.<init>
    static native void watch(String field, boolean modification, boolean on);
    static native void act(int action, int hit); // at the hit of that number, 0: at none
    static native String seen(); // what was told since, as a sum
    static native void pop(Thread t); // the frame of a thread that stands at a breakpoint

    static class Work {
        static int total;
        static volatile int shared;
        int number;
        long wide;
        double real;
        byte small;
        Object any = "any";

        static int loop(int n) { // slots: n 0, sum 1, i 2
            int sum = 0;
            for (int i = 0; i < n; i++)
                sum = (sum * 31 ^ i) + 4 * add(sum, i);
            return sum;
        }
        static int add(int a, int b) {
            return a + b;
        }
        static int caught(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++)
                try {
                    sum += divide(i, i % 3);
                } catch (ArithmeticException | IllegalStateException e) {
                    sum += e.getClass().getName().length();
                }
            return sum;
        }
        static int divide(int a, int b) {
            return a / b;
        }
        synchronized int fields(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                number = number * 3 + i;
                wide += number;
                real += 0.5;
                small += i;
                any = (i & 1) == 0 ? this : "odd";
                total++;
                shared += total;
                sum += number ^ small ^ (int) wide ^ (int) real ^ shared ^ (any == this ? 1 : 2);
            }
            return sum;
        }
        static Object made;
        static int makes(int n) {
            for (int i = 0; i < n; i++)
                made = new Work();
            return n;
        }
        static void spin() {
            while (go)
                ;
        }
    }
    static volatile boolean go;

    static int n = 100;
    static String run(String method) {
        switch (method) {
        case "loop":
        case "add": return "" + Work.loop(n);
        case "caught":
        case "divide": return "" + Work.caught(n);
        case "fields": return "" + new Work().fields(n);
        default: return "" + Work.makes(n);
        }
    }
    static void show(String what, String method) {
        String result;
        try {
            result = run(method);
        } catch (IllegalStateException e) {
            result = e.toString();
        }
        System.out.println(what + ": " + result + ", " + seen());
    }

    static void breakpoints(String... methods) {
        for (String m : methods)
            for (int at : places(m)) {
                breakAt(m, at, true);
                show(m + " " + at, m);
                breakAt(m, at, false);
            }
        for (String m : methods) { // all at once
            int[] places = places(m);
            for (int at : places)
                breakAt(m, at, true);
            show("all of " + m, m);
            for (int i = 0; i < places.length; i += 2)
                breakAt(m, places[i], false);
            show("half of " + m, m);
            for (int i = 1; i < places.length; i += 2)
                breakAt(m, places[i], false);
            show("none of " + m, m);
        }
    }

    static final String[] fields = {"number", "wide", "real", "small", "any", "total", "shared"};
    static void watches() {
        for (String f : fields)
            for (int kinds = 1; kinds < 4; kinds++) {
                set(f, kinds, true);
                Work.total = Work.shared = 0;
                show(f + " " + kinds, "fields");
                set(f, kinds, false);
            }
        show("no watch", "fields");
    }
    static void set(String field, int kinds, boolean on) {
        if ((kinds & 1) != 0)
            watch(field, false, on);
        if ((kinds & 2) != 0)
            watch(field, true, on);
    }

    static void actions() {
        String[] names = {"nothing", "local", "throw", "return", "clear", "step", "", "move", "collect"};
        for (int action : new int[] {SET_LOCAL, THROW, RETURN, CLEAR, STEP, MOVE, COLLECT})
            for (String m : new String[] {"add", "loop", "divide"})
                for (int i : new int[] {0, 2, 5, 8}) {
                    int at = places(m)[i % places(m).length];
                    breakAt(m, at, true);
                    act(action, n / 2);
                    show(names[action] + " at " + m + " " + at, m);
                    act(NOTHING, 0);
                    show("then", m);
                    breakAt(m, at, false);
                }
        for (int action : new int[] {SET_LOCAL, THROW, RETURN, CLEAR, STEP, COLLECT})
            for (String f : fields)
                for (int kinds = 1; kinds < 3; kinds++) {
                    set(f, kinds, true);
                    Work.total = Work.shared = 0;
                    act(action, n / 2);
                    show(names[action] + " at " + f + " " + kinds, "fields");
                    act(NOTHING, 0);
                    set(f, kinds, false);
                }
    }

    static void pops() throws InterruptedException {
        for (int times = 0; times < 20; times++) {
            breakAt("add", 0, true);
            act(POP, n / 2 + times);
            String[] result = new String[1];
            Thread t = new Thread(() -> result[0] = run("loop"));
            t.start();
            pop(t);
            t.join();
            System.out.println("popped: " + result[0] + ", " + seen());
            act(NOTHING, 0);
            breakAt("add", 0, false);
        }
    }

    // Set where the code is running.
    static void live() throws InterruptedException {
        go = true;
        Thread t = new Thread(Work::spin);
        t.start();
        Thread.sleep(50);
        for (int i = 0; i < 10; i++) {
            breakAt("spin", 0, true);
            while (seen().startsWith("0 "))
                Thread.onSpinWait();
            breakAt("spin", 0, false);
            seen();
            if (!seen().startsWith("0 "))
                System.out.println("hit when it was cleared");
        }
        go = false;
        t.join();
        System.out.println("live");
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 20; i++)
            for (String m : new String[] {"loop", "caught", "fields", "makes"})
                run(m);
        breakpoints("loop", "add", "caught", "divide");
        breakpoints("fields");
        breakInit(true);
        show("Object.<init>", "makes");
        breakInit(false);
        breakpoints("makes");
        watches();
        for (int at : places("fields")) // at the accesses, too
            breakAt("fields", at, true);
        set("number", 3, true);
        set("shared", 3, true);
        show("both", "fields");
        set("number", 3, false);
        set("shared", 3, false);
        for (int at : places("fields"))
            breakAt("fields", at, false);
        actions();
        pops();
        live();
    }
}
