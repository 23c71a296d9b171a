// SPDX-License-Identifier: Apache-2.0
// -XX:+AllowEnhancedClassRedefinition: a reference moves to another offset of an object that stays where it is, while what it refers to is
// copied to another place. The new offset has the copy.
// @agent ti_redefine
// @only pellucid
// @flags -XX:+AllowEnhancedClassRedefinition
// @modes stress
// @quick
class Gap00 { // statics: a reference, and 4 bytes that nobody uses
    static Gap00 own = new Gap00();
    int i = 3;
    static String show() { return "" + own.i; }
}
class Gap01 { // the mirror has room for it, the instance grows
    static Object own;
    int i, j = 5, k;
    static String show() { return ((Gap01) own).i + " " + ((Gap01) own).j; }
}
class Holder10 {
    int before = 1;
    Gap00 held;
    int behind = 2;
    Object get() { return held; }
}
class Holder11 { // another type, so it is another field: at another offset
    int before = 1;
    Object held;
    int behind = 2;
    Object get() { return held; }
}

public class EnhancedGaps extends Redefiner {
    static void collect() {
        byte[][] waste = new byte[100][];
        for (int i = 0; i < 1000; i++)
            waste[i % 100] = new byte[10_000];
        System.gc();
    }

    public static void main(String[] args) throws Exception {
        Gap00 first = Gap00.own;
        Holder10[] holders = new Holder10[1000];
        Gap00[] held = new Gap00[holders.length];
        for (int i = 0; i < holders.length; i++) {
            holders[i] = new Holder10();
            holders[i].held = held[i] = new Gap00();
            held[i].i = i;
        }
        int done = redefine(new Class<?>[] {Holder10.class, Gap00.class}, new byte[][] {as(Holder10.class, "Holder11"), as(Gap00.class, "Gap01")});
        System.out.println(done + " " + Gap00.show());
        for (int round = 0; round < 2; round++) {
            int wrong = 0;
            for (int i = 0; i < holders.length; i++)
                wrong += holders[i].get() == held[i] && held[i].i == i && holders[i].before == 1 && holders[i].behind == 2 ? 0 : 1;
            System.out.println(wrong + " wrong, " + (Gap00.class.getDeclaredField("own").get(null) == first));
            collect();
        }
        System.out.println(Gap00.show());
    }
}
