// SPDX-License-Identifier: Apache-2.0
// Breakpoints and watches in a class whose loader is dropped go with it; HotSpot keeps the class for them.
// @agent ti_unload=breakpoints
// @only pellucid
// @quick
public class DropBreakpoints {
    public static void main(String[] args) throws Exception {
        DropAgent.main(args);
    }
}
