// SPDX-License-Identifier: Apache-2.0
// Prefixes where each method is compiled before its first call: a method that becomes native has no function of its own yet.
// @agent ti_prefixes
// @flags -XX:+AllowRedefinitionToAddDeleteMethods -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitAll
public class PrefixesCompiled {
    public static void main(String[] args) throws Exception {
        Prefixes.main(args);
    }
}
