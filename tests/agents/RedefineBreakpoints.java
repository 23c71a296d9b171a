// SPDX-License-Identifier: Apache-2.0
// Breakpoints in obsolete methods go with them: those of a later version, which may stand at the same place in memory, are new.
// @only pellucid
// @agent ti_redefine
// @quick
class BreakA {
    static String during(byte[] file) {
        Redefiner.redefine(BreakA.class, file);
        Redefiner.keepFrame(); // of an obsolete method by now
        int set = Redefiner.breakpointInKept(), again = Redefiner.breakpointInKept();
        return "round 00: set " + set + " again " + again;
    }
}

public class RedefineBreakpoints extends Redefiner {
    public static void main(String[] args) {
        byte[] original = file("BreakA");
        int gone = 0;
        for (int i = 1; i <= 20; i++) {
            System.out.println(BreakA.during(replace(original, "round 00", String.format("round %02d", i))));
            System.gc(); // frees what no frame is in
            gone += isKeptGone() ? 1 : 0;
        }
        System.out.println(gone > 0 ? "freed" : "none was freed");
    }
}
