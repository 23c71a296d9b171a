// SPDX-License-Identifier: Apache-2.0
// Events before VMInit: VMStart early and not, class files in the primordial phase, threads.
// @agent ti_early
// @quick
public class Early {
    public static void main(String[] args) {
        System.out.println("main");
    }
}
