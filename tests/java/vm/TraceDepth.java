// SPDX-License-Identifier: Apache-2.0
// -XX:MaxJavaStackTraceDepth cuts the traces of throwables; -XX:+ShowHiddenFrames shows the frames of lambda classes in them.
// @flags -XX:MaxJavaStackTraceDepth=3 -XX:+UnlockDiagnosticVMOptions -XX:+ShowHiddenFrames
public class TraceDepth {
    static void fail(int depth) {
        if (depth == 0)
            throw new IllegalStateException("deep");
        fail(depth - 1);
    }

    static int depthOf(Runnable body) {
        try {
            body.run();
        } catch (IllegalStateException e) {
            return e.getStackTrace().length;
        }
        return -1;
    }

    public static void main(String[] args) {
        System.out.println(depthOf(() -> fail(20)));
        Runnable direct = TraceDepth::thrower;
        try {
            direct.run();
        } catch (IllegalStateException e) {
            for (StackTraceElement element : e.getStackTrace())
                System.out.println(element.getMethodName() + " " + element.getClassName().contains("$$Lambda"));
        }
    }

    static void thrower() {
        throw new IllegalStateException("direct");
    }
}
