// SPDX-License-Identifier: Apache-2.0
// A class of another loader that extends an accessor of reflection gains nothing: it is verified, and JVMS 5.4.4 denies it
// the private members of others. HotSpot takes it for an accessor, so that who gets hold of an accessor's class (by
// StackWalker) may read all.
// @quick
// @only pellucid
// @flags --add-opens java.base/jdk.internal.reflect=ALL-UNNAMED --add-opens java.base/java.lang=ALL-UNNAMED
public class MagicSubclass {
    public static void main(String[] args) throws Throwable {
        Asm base = MagicAccessors.accessor("Base", MagicAccessors.PACKAGE + "MagicAccessorImpl", false);
        Class<?> made = MagicAccessors.defineIn(MagicAccessors.delegating(), base);
        Asm.t("accessor", () -> MagicAccessors.call(made));
        for (boolean wrong : new boolean[] {false, true}) {
            Asm.Loader l = new Asm.Loader("user", MagicAccessors.accessor("Sub", "Base", wrong));
            l.foreign.put("Base", made);
            Asm.t(wrong ? "extends it, not verifiable" : "extends it", () -> Asm.run(l, "Sub"));
        }
    }
}
