// SPDX-License-Identifier: Apache-2.0
// Litmus in compiled code, with a heap whose base is not 0; where it is, the type jit-all runs Litmus so.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitAll -XX:JitLayout=based
// @timeout 120
public class LitmusCompiled {
    public static void main(String[] args) throws Exception {
        Litmus.main(args);
    }
}
