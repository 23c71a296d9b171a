// SPDX-License-Identifier: Apache-2.0
// As PrefixOrder, with -XX:+HotSpotJVMTI: prefixes apply in the order in which environments were created. HotSpot goes as far as
// its first line: there the second environment cannot have the capability any more.
// @agent ti_prefixes
// @only pellucid
// @flags -XX:+HotSpotJVMTI
// @quick
public class PrefixOrderHotSpot {
    public static void main(String[] args) {
        PrefixOrder.main(args);
    }
}
