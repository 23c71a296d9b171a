// SPDX-License-Identifier: Apache-2.0
// java.lang.LiveStackFrame: locals, operands and monitors of the frames of a walk.
// @quick
// @flags -Xint --add-opens=java.base/java.lang=ALL-UNNAMED
// @modes moving
import java.lang.reflect.*;
import java.util.*;

public class LiveFrames {
    static final Object lock1 = "lock1", lock2 = "lock2";
    static StackWalker walker;
    static Method getLocals, getStack, getMonitors;

    // What of a number is meant in each slot: I(nt), F(loat), J, D; - for what is not (or no longer) in use.
    static final Map<String, String> KINDS = Map.of("numbers", "I-JF-DIIIII-J", "dead", "I---", "operands", "I-J-D", "mixed", "I-",
        "main", "", "blocks", "", "instance", "AI");
    static String text(Object o, char kind) {
        if (o == null) {
            return "null";
        }
        String name = o.getClass().getSimpleName();
        if (!name.startsWith("PrimitiveSlot")) {
            return o instanceof String || o instanceof LiveFrames || o instanceof Class ? name + "(" + o + ")" : name;
        }
        long value = Long.parseLong(o.toString());
        return name.substring(13) + (kind == 'I' ? ":" + (int) value : kind == 'F' ? ":" + Float.intBitsToFloat((int) value)
            : kind == 'J' ? ":" + value : kind == 'D' ? ":" + Double.longBitsToDouble(value) : "");
    }
    static String all(Method m, Object frame, String kinds) {
        try {
            StringJoiner j = new StringJoiner(" ", "[", "]");
            int i = 0;
            for (Object o : (Object[]) m.invoke(frame)) {
                char kind = i < kinds.length() ? kinds.charAt(i) : '-';
                i++;
                if (m != getMonitors || o != null) { // HotSpot shows what was released as null
                    j.add(text(o, kind));
                }
            }
            return j.toString();
        } catch (ReflectiveOperationException e) {
            return e.toString();
        }
    }
    static int show() {
        walker.forEach(f -> {
            if (f.getClassName().startsWith("LiveFrames") || f.getMethodName().equals("invoke0")) {
                String kinds = KINDS.getOrDefault(f.getMethodName(), "");
                System.out.println(f + " locals " + all(getLocals, f, kinds) + " stack " + all(getStack, f, kinds.isEmpty() ? "I" : kinds)
                    + " monitors " + all(getMonitors, f, ""));
            }
        });
        System.out.println();
        return 1;
    }

    static int numbers(int i, long l, float f, double d, boolean z, byte b, char c, short s) {
        int neg = -i;
        long big = l * 2;
        return i + neg + show() + (int) (l + f + d + big);
    }
    static int references(String s, Object[] array, Object nothing) {
        String t = s + "!";
        return t.length() + show() * array.length;
    }
    static int dead(int way) {
        if (way > 0) {
            String unused = "used only here";
            way += unused.length();
        }
        int later;
        show();
        later = way;
        { long scope = 5; way += scope; }
        show();
        Object o = "alive";
        way += show();
        return later + way + o.hashCode();
    }
    static int operands(int i, long l, double d, String s) {
        return pick(i, l, d, s, new int[] {i}, show());
    }
    static int pick(int i, long l, double d, String s, int[] a, int x) {
        return x;
    }
    static void blocks(Object a, Object b) {
        show();
        synchronized (a) {
            show();
            synchronized (b) {
                synchronized (a) {
                    show();
                }
                show();
            }
        }
        show();
    }
    synchronized void instance(int x) {
        show();
        synchronized (lock1) {
            show();
        }
    }
    static synchronized void ofClass() {
        show();
    }
    static void mixed(boolean way) {
        if (way) {
            Object o = "reference";
            o.hashCode();
        } else {
            int o = 7;
            Integer.toString(o);
        }
        show();
    }
    public String toString() {
        return "this";
    }

    public static void main(String[] args) throws Exception {
        Class<?> live = Class.forName("java.lang.LiveStackFrame");
        Method get = live.getMethod("getStackWalker", Set.class);
        get.setAccessible(true);
        walker = (StackWalker) get.invoke(null, EnumSet.of(StackWalker.Option.SHOW_REFLECT_FRAMES));
        getLocals = live.getMethod("getLocals");
        getStack = live.getMethod("getStack");
        getMonitors = live.getMethod("getMonitors");
        for (Method m : new Method[] {getLocals, getStack, getMonitors}) {
            m.setAccessible(true);
        }
        numbers(1, 1L << 40, 1.5f, -2.25, true, (byte) -3, 'c', (short) 9);
        numbers(-1, -1L, Float.NaN, Double.MAX_VALUE, false, (byte) 3, '\uffff', (short) -9);
        references("s", args, null);
        dead(0);
        dead(1);
        operands(7, 8, 9.5, "ten");
        blocks(lock1, lock2);
        blocks(lock2, lock2);
        new LiveFrames().instance(3);
        ofClass();
        mixed(true);
        mixed(false);
        Runnable r = () -> show();
        r.run();
        LiveFrames.class.getDeclaredMethod("ofClass").invoke(null);
        Thread t = new Thread(r);
        t.start();
        t.join();
    }
}
