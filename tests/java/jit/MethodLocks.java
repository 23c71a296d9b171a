// SPDX-License-Identifier: Apache-2.0
// Synchronized methods that are inlined, static and of objects: who holds what within and between them, exceptions that leave them, waits in
// them, classes that are loaded while they hold, calls on null, frames that are walked, threads that contend. Calls that follow one
// another on one object, whose monitor stays entered between them, and those that do not: other objects, loops, checks and calls between.
// What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05 -Xmx24m -XX:-OmitStackTraceInFastThrow
// @modes asan stress
// @timeout 180
import java.util.List;
import java.util.Vector;
import java.util.stream.Collectors;

public class MethodLocks {
    int count;
    Object[] kept = new Object[4];
    static int total;

    synchronized MethodLocks add(int k) {
        count += k;
        return this;
    }
    synchronized int get(int i) { return i < 0 ? -1 : kept[i & 3] == null ? 0 : 1; }
    synchronized int divide(int a, int b) { return a / b; }
    synchronized Object element(int i) { return kept[i]; }
    static synchronized void addTotal(int k) { total += k; }
    synchronized boolean isHeld() { return Thread.holdsLock(this); }
    synchronized boolean holdsBoth(MethodLocks other) { return isHeld() && other.isHeld() && Thread.holdsLock(this); }
    synchronized int both(MethodLocks other, int k) { return other.add(k).count + add(1).count; }
    synchronized List<String> frames(int depth) {
        return depth > 0 ? frames(depth - 1)
            : StackWalker.getInstance().walk(s -> s.limit(4).map(f -> f.getMethodName() + ":" + f.getLineNumber()).collect(Collectors.toList()));
    }
    synchronized String late(int k) { return k == 2000 ? Late.name() + Thread.holdsLock(this) : "-"; }
    synchronized void leave(boolean now) {
        if (now)
            throw new IllegalStateException("left");
        count++;
    }
    synchronized void awake() throws InterruptedException {
        notifyAll();
        wait(1);
    }
    static class Late {
        static String name() { return "late "; }
    }

    static int chain(MethodLocks l, int k) {
        l.add(k).add(2).add(k & 3);
        addTotal(k);
        addTotal(1);
        return l.count;
    }
    static int mixed(MethodLocks l, MethodLocks m, int k) {
        l.add(1);
        m.add(2);
        l.add(k / (k % 7 == 0 ? 7 : k % 7)); // a check between
        int r = l.get(k) + m.get(k - 1);
        l.add(r);
        for (int i = 0; i < 3; i++)
            m.add(i);
        if (k % 2 == 0)
            l.add(5);
        else
            m.add(6);
        l.add(7);
        return l.count * 31 + m.count;
    }
    static int caught(MethodLocks l, int k) {
        int r = 0;
        try {
            r += l.divide(1000, k % 50);
        } catch (ArithmeticException e) {
            r -= Thread.holdsLock(l) ? 1000000 : 3;
        }
        try {
            r += l.element(k % 9) == null ? 1 : 2;
        } catch (ArrayIndexOutOfBoundsException e) {
            r += e.getMessage().length() + (Thread.holdsLock(l) ? 1000000 : 0);
        }
        try {
            l.leave(k % 11 == 3);
        } catch (IllegalStateException e) {
            r += Thread.holdsLock(l) ? 1000000 : 7;
        }
        return r;
    }
    static int passesOn(MethodLocks l, int k) { return l.divide(7, k % 400) + 1; }
    static String onNull(MethodLocks l) {
        try {
            return "count " + l.add(1).count;
        } catch (NullPointerException e) {
            return "null";
        }
    }
    static void check(MethodLocks l, int at) {
        if (Thread.holdsLock(l) || Thread.holdsLock(MethodLocks.class))
            throw new AssertionError("held at " + at);
    }

    static void alone() throws Exception {
        MethodLocks l = new MethodLocks(), m = new MethodLocks();
        StringBuffer text = new StringBuffer();
        Vector<Integer> numbers = new Vector<>();
        long sum = 0;
        int escaped = 0;
        String said = "";
        for (int i = 0; i < 4000; i++) {
            sum += chain(l, i) + mixed(l, m, i) + caught(l, i) + l.both(m, i & 3);
            sum += (l.isHeld() ? 1 : 0) + (l.holdsBoth(m) ? 2 : 0) + (m.holdsBoth(m) ? 4 : 0);
            try {
                sum += passesOn(l, i);
            } catch (ArithmeticException e) {
                escaped++;
            }
            if (!l.late(i).equals("-"))
                said += "late true " + onNull(null);
            l.kept[i & 3] = (i & 8) == 0 ? "x" : null;
            text.append(i % 10).append(',').append(i % 3 == 0).setLength(Math.min(text.length(), 50));
            numbers.addElement(i);
            if (numbers.size() > 20)
                numbers.removeAllElements();
            sum += text.length() + numbers.size();
            check(l, i);
            check(m, i);
            if (i % 1000 == 0)
                l.awake();
            if (i == 3000)
                l.hashCode();
        }
        System.out.println(sum + " " + escaped + " " + total + " " + text + " " + numbers.size() + " " + said);
        System.out.println(l.frames(2) + " " + onNull(l) + " " + onNull(null));
    }

    static void contended() throws Exception {
        MethodLocks l = new MethodLocks(), m = new MethodLocks();
        total = 0;
        Thread[] threads = new Thread[3];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < 20000; i++) {
                    l.add(1).add(2).add(3);
                    addTotal(1);
                    m.add(l.get(i) >= 0 ? 1 : 0);
                    try {
                        l.leave(i % 100 == 1);
                    } catch (IllegalStateException e) {
                        m.add(1);
                    }
                }
            });
            threads[t].start();
        }
        for (Thread t : threads)
            t.join();
        System.out.println(l.count + " " + m.count + " " + total);
    }

    public static void main(String[] args) throws Exception {
        alone();
        contended();
    }
}
