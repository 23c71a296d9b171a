// SPDX-License-Identifier: Apache-2.0
// Where HotSpot differs from what a user expects: a second redefinition after a retransformation starts retransformations anew
// (JVM TI, RetransformClasses: from the bytes given to the last RedefineClasses), and frames of old versions have their lines.
// @agent ti_redefine
// @only pellucid
// @quick
class Spec1 {
    static String text() { return "text-0"; }
    static void fail(Runnable r) {
        r.run();
        throw new IllegalStateException();
    }
}
class Spec2 {
    static String text() { return "text-1"; }
    static void fail(Runnable r) {
        // further down
        r.run();
        throw new IllegalStateException();
    }
}
class Spec3 {
    static String text() { return "text-2"; }
    static void fail(Runnable r) { r.run(); }
}

public class RedefineSpec extends Redefiner {
    public static void main(String[] args) {
        hook(0, true, "Spec1", "text-", "Text-", true);
        System.out.println(Spec1.text() + " " + become(Spec1.class, "Spec2") + " " + Spec1.text());
        System.out.println(retransform(Spec1.class) + " " + Spec1.text() + " " + become(Spec1.class, "Spec3") + " " + Spec1.text());
        System.out.println(retransform(Spec1.class) + " " + Spec1.text());
        hook(0, true, null, null, null, true);
        System.out.println(retransform(Spec1.class) + " " + Spec1.text() + " " + become(Spec1.class, "Spec1"));
        for (String next : new String[] {"Spec2", "Spec3"})
            try {
                Spec1.fail(() -> System.out.println(become(Spec1.class, next)));
            } catch (IllegalStateException e) {
                System.out.println(e.getStackTrace()[0]);
            }
    }
}
