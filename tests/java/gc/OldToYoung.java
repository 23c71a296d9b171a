// SPDX-License-Identifier: Apache-2.0
// Old objects that point at young ones through every kind of store: fields, arrays, statics, CAS, arraycopy, clone, reflection.
// @flags -Xmx64m
// @quick
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.concurrent.atomic.*;

public class OldToYoung {
    static Object st;
    Object f;
    volatile Object v;
    Object r;
    Object vh;

    static void junk() {
        byte[][] j = new byte[20][];
        for (int i = 0; i < 400; i++) {
            j[i % 20] = new byte[256];
        }
    }
    static String mk(int i, String k) {
        return new StringBuilder(k).append(i).toString();
    }

    public static void main(String[] args) throws Throwable {
        OldToYoung[] old = new OldToYoung[100];
        Object[][] arr = new Object[10][50];
        AtomicReference<Object> ar = new AtomicReference<>();
        AtomicReferenceArray<Object> ara = new AtomicReferenceArray<>(20);
        VarHandle vh = MethodHandles.lookup().findVarHandle(OldToYoung.class, "vh", Object.class);
        MethodHandle setter = MethodHandles.lookup().findSetter(OldToYoung.class, "v", Object.class);
        Field rf = OldToYoung.class.getDeclaredField("r");
        for (int i = 0; i < old.length; i++) {
            old[i] = new OldToYoung();
        }
        System.gc();
        System.gc();
        int bad = 0;
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < old.length; i += 7) {
                old[i].f = mk(round, "f");
                setter.invoke(old[i], (Object) mk(round, "v"));
                rf.set(old[i], mk(round, "r"));
                Object prev = vh.getAndSet(old[i], (Object) mk(round, "h"));
                if (round > 0 && !prev.equals("h" + (round - 1))) {
                    bad++;
                }
            }
            st = mk(round, "st");
            ar.set(mk(round, "ar"));
            ara.set(round % 20, mk(round, "ara"));
            arr[round % 10][round] = mk(round, "arr");
            Object[] fresh = {mk(round, "c"), mk(round, "d")};
            System.arraycopy(fresh, 0, arr[5], 30, 2);
            Object[] cl = fresh.clone();
            Array.set(arr[6], 40, cl);
            fresh = null;
            junk();
            if (round % 5 == 4) {
                System.gc();
            }
            for (int i = 0; i < old.length; i += 7) {
                if (!old[i].f.equals("f" + round) || !old[i].v.equals("v" + round) || !old[i].r.equals("r" + round) || !old[i].vh.equals("h" + round)) {
                    bad++;
                }
            }
            if (!st.equals("st" + round) || !ar.get().equals("ar" + round) || !ara.get(round % 20).equals("ara" + round)
                || !arr[round % 10][round].equals("arr" + round) || !arr[5][31].equals("d" + round) || !((Object[]) arr[6][40])[0].equals("c" + round)) {
                bad++;
            }
        }
        System.out.println("bad " + bad);
        Map<String, List<Integer>> m = new TreeMap<>();
        for (int i = 0; i < 2000; i++) {
            m.computeIfAbsent("k" + i % 37, k -> new ArrayList<>()).add(i);
        }
        System.out.println(m.get("k5").size() + " " + m.values().stream().mapToInt(List::size).sum());
        System.out.println(old.length + arr.length);
    }
}
