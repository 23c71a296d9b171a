// SPDX-License-Identifier: Apache-2.0
// CodeCacheAgain where threads compile for themselves.
// @agent ti_redefine
// @only pellucid
// @flags -Xbatch -XX:ReservedCodeCacheSize=2560k -XX:InitialCodeCacheSize=2496k
// @mask .*warning: .*
// @not jit-* its own flags say what is compiled
// @not compiled likewise
public class CodeCacheAgainBatch {
    public static void main(String[] args) throws Exception {
        CodeCacheAgain.main(new String[] {"batch"});
    }
}
