// SPDX-License-Identifier: Apache-2.0
// JVMPI's COMPILED_METHOD_LOAD: which code, and the lines that it does.
// @only pellucid
// @flags -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync
public class PiCompiled {
    static native void listen();
    static native void show(int from, int to);

    static int line() { return new Throwable().getStackTrace()[1].getLineNumber(); }

    static final int FROM = line();
    static int hot(int n) {
        int sum = n * 3;
        for (int i = 0; i < (n & 7); i++)
            sum ^= n + i;
        return sum;
    }
    static final int TO = line();

    public static void main(String[] args) {
        System.loadLibrary("pi_compiled");
        listen();
        int sum = 0;
        for (int i = 0; i < 5000; i++)
            sum += hot(i);
        show(FROM, TO);
        System.out.println(sum);
    }
}
