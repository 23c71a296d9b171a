// SPDX-License-Identifier: Apache-2.0
// The order in which agents see a class file when it is loaded, redefined, retransformed; and from which bytes each starts.
// @agent ti_redefine
// @quick
class Hooked {
    static String text() { return "text-0"; }
}
class Plain1 {
    static String text() { return "text-8"; }
}
class Plain2 {
    static String text() { return "text-9"; }
}
class Another {
    static String text() { return "text-0"; }
}

public class RedefineHooks extends Redefiner {
    static void show(String what, int error) {
        System.out.println(what + ": " + error + " " + Hooked.text());
    }

    public static void main(String[] args) {
        hook(0, true, "Hooked", "text-0", "text-1", false);
        hook(1, false, "Hooked", "text-0", "text-2", false);
        hook(2, true, "Hooked", "text-2", "text-3", false);
        hook(3, false, "Hooked", "text-2", "text-4", false);
        show("load", 0);
        show("retransform", retransform(Hooked.class));
        hook(2, true, "Hooked", "text-4", "text-5", false);
        show("retransform again", retransform(Hooked.class));
        hook(2, true, null, null, null, false);
        show("one off", retransform(Hooked.class));
        hook(0, true, "Hooked", "text-4", "text-6", false);
        show("other text", retransform(Hooked.class));
        show("redefine", redefine(Hooked.class, file("Hooked")));
        show("retransform", retransform(Hooked.class));
        hook(0, true, null, null, null, false);
        hook(1, true, null, null, null, false);
        hook(2, true, null, null, null, false);
        hook(3, true, null, null, null, false);
        show("all off", retransform(Hooked.class));
        hook(0, true, "Hooked", "Hooked", "Hookee", false);
        show("spoilt", retransform(Hooked.class));
        show("spoilt", redefine(Hooked.class, file("Hooked")));
        System.out.println(Plain1.text() + " " + become(Plain1.class, "Plain2") + " " + Plain1.text());
        hook(0, true, "Plain1", "text-9", "text-7", false);
        System.out.println(retransform(Plain1.class) + " " + Plain1.text() + " " + become(Plain1.class, "Plain2") + " " + Plain1.text());
        System.out.println(retransform(Plain1.class) + " " + Plain1.text());
        hook(0, true, "Another", "text-0", "text-1", false);
        System.out.println(Another.text() + " " + retransform(Another.class, Another.class) + " " + Another.text());
    }
}
