// SPDX-License-Identifier: Apache-2.0
// A handler of exit(3), of System.exit, calls the invocation interface.
// @native jniatexit
// @expect-exit 3
public class AtSystemExit {
    public static void main(String[] args) {
        System.loadLibrary("jniatexit");
        System.out.println("main ends");
        System.exit(3);
    }
}
