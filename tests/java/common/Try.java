// SPDX-License-Identifier: Apache-2.0
// For tests of many small steps: a test that extends it prints what each step returns or throws. It is compiled into every folder.
public class Try {
    interface T {
        Object run() throws Throwable;
    }

    static void t(String what, T step) {
        String result;
        try {
            result = String.valueOf(step.run());
        } catch (Throwable e) {
            result = e.toString().replaceAll("@[0-9a-f]+", "@");
            for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                result += " <- " + cause;
            }
        }
        System.out.println(what + " " + result);
    }
}
