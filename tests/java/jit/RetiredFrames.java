// SPDX-License-Identifier: Apache-2.0
// A method's code is retired because its frames are deoptimized often, while an older frame of it is still running; then a class is loaded
// that the code assumed was not there. The older frame sees it. What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:CompileThresholdScaling=0.05
// @modes stress
// @quick
public class RetiredFrames {
    static class Base {
        int value() { return 1; }
    }
    static class Late extends Base {
        int value() { return 2; }
    }
    static class Cold {
        static int x = 5;
    }
    static Base held = new Base();
    static boolean cold, go;

    static int outer(boolean isOuter) {
        if (isOuter) {
            inner(0);
            return held.value();
        }
        if (cold)
            return Cold.x;
        return 0;
    }
    static void inner(int deep) { // recursive: it is not inlined
        if (deep < 2) {
            inner(deep + 1);
            return;
        }
        if (!go)
            return;
        cold = true;
        for (int i = 0; i < 50; i++)
            outer(false);
        held = new Late();
    }
    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 20_000; i++)
            sum += outer(true) + outer(false);
        System.out.println(sum);
        go = true;
        System.out.println(outer(true));
        System.out.println(outer(true) + outer(false));
    }
}
