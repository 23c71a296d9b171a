// SPDX-License-Identifier: Apache-2.0
// What compiled code allocates of objects that nobody sees, and what while an agent wants to know of allocations (agents/UnmadeObjects). The
// higher threshold: calls of the class library are seen often enough before to be sure of their receivers.
// @only pellucid
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:-JitAll -XX:JitDeoptEvery=0 -XX:-JitHookAll -XX:CompileThresholdScaling=4
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

public class UnmadeBytes {
    static class Point {
        int x;
        long y;
        Point(int x) { this.x = x; y = 2L * x; }
    }
    static Object kept;
    static int turn;
    static final VarHandle X = ofX();

    static VarHandle ofX() {
        try {
            return MethodHandles.lookup().findVarHandle(Point.class, "x", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    static long many(LongSupplier what) {
        long sum = 0;
        for (int i = 0; i < 20_000; i++)
            sum += what.getAsLong();
        return sum;
    }

    static void measure(String name, LongSupplier what) {
        for (int warm = 0; warm < 20; warm++)
            many(what);
        long before = allocated(), sum = many(what), bytes = (allocated() - before) / 20_000;
        System.out.println(name + " " + sum + ": " + bytes + " bytes");
    }

    static int keep(Object o) {
        kept = o;
        return 1;
    }

    static long list(List<Integer> list) {
        long sum = 0;
        for (Integer i : list)
            sum += i;
        return sum;
    }

    static long map(Map<String, Integer> map) {
        long sum = 0;
        for (Map.Entry<String, Integer> e : map.entrySet())
            sum += e.getValue();
        return sum;
    }

    public static void main(String[] args) {
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
        Map<String, Integer> map = new HashMap<>(Map.of("one", 1, "two", 2));
        measure("plain", () -> { Point p = new Point(5); p.x++; return p.x + p.y; });
        measure("list", () -> list(list));
        measure("map", () -> map(map));
        measure("optional", () -> Optional.of("four").map(String::length).orElse(3));
        measure("lambda", () -> { int size = list.size(); LongSupplier s = () -> size; return s.getAsLong(); });
        measure("volatile", () -> { Point p = new Point(5); X.setVolatile(p, (int) X.getVolatile(p) + 1); return p.x; });
        measure("seldom", () -> { Point p = new Point(5); if (turn++ % 1000 == 7) { kept = p; return 1; } return p.x; });
        measure("seldom in a loop", () -> { Point p = new Point(5); for (int i = 0; i < 3; i++) { p.x += i; if (turn++ % 3000 == 7) return p.x + keep(p); } return p.x; });
        measure("not equal", () -> { Point p = new Point(5); return p == kept ? 1 : p.x; });
        measure("kept", () -> { Point p = new Point(5); kept = p; return p.x; });
    }
}
