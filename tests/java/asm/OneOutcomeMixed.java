// SPDX-License-Identifier: Apache-2.0
// A dynamic constant that one attempt finds and another one fails to: the first that ends decides for all (JVMS 5.4.3: later
// attempts always fail with the same error, or find the same). HotSpot forgets the error for the value and throws to each thread
// its own. The message of a failed class initializer's error, which has none, is the constant's name then, as in HotSpot,
// where giving it its cause fails.
// @quick
// @only pellucid
public class OneOutcomeMixed {
    public static void main(String[] args) throws Exception {
        for (String steps : "i 1l l1 r1 1r 0l l0 1l2 l1l".split(" ")) {
            OneOutcome.again("condy", OneOutcome::dynamic, steps);
        }
        for (String steps : "1l l1 0l l0".split(" ")) {
            OneOutcome.threads("condy", OneOutcome::slowDynamic, steps, true);
            OneOutcome.threads("condy", OneOutcome::slowDynamic, steps, false);
        }
    }
}
