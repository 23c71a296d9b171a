// SPDX-License-Identifier: Apache-2.0
// Rules of agents, environments, phases, capabilities and event management, by number.
// @agent ti_rules_start=a=b,c
// @flags -Drules.set=before
// @quick
public class RulesStart {
    static native void live(Thread unstarted, String property);

    public static void main(String[] args) {
        live(new Thread(), System.getProperty("rules.set"));
    }
}
