// SPDX-License-Identifier: Apache-2.0
// The extension function SetEnhancedRedefinition: one environment may redefine more than bodies, without the flag; no other one, and no
// longer than it says.
// @agent ti_redefine
// @only pellucid
class Own00 {
    String show() { return "Own"; }
}
class Own01 {
    int more = 3;
    String show() { return "Own1 " + more() + " " + more; }
    String more() { return "more"; }
}

public class EnhancedEnvironment extends Redefiner {
    static void step(String what, int error) {
        System.out.println(what + ": " + error + ", " + become(Own00.class, "Own01") + " " + new Own00().show() + ", " + become(Own00.class, "Own00") + " "
            + new Own00().show());
    }
    public static void main(String[] args) {
        step("at first", 0);
        step("another environment", free(true, true));
        step("this one", free(false, true));
        step("not any more", free(false, false));
    }
}
