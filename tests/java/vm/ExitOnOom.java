// SPDX-License-Identifier: Apache-2.0
// -XX:+ExitOnOutOfMemoryError ends the VM at the first OutOfMemoryError, which no handler sees.
// @flags -Xmx16m -XX:+ExitOnOutOfMemoryError
// @expect-exit 3
public class ExitOnOom {
    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("no hook runs")));
        try {
            System.out.println(new byte[64 << 20].length);
        } catch (OutOfMemoryError e) {
            System.out.println("not caught");
        }
    }
}
