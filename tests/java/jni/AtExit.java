// SPDX-License-Identifier: Apache-2.0
// A handler of exit(3), when main has returned, calls the invocation interface.
// @native jniatexit
public class AtExit {
    public static void main(String[] args) {
        System.loadLibrary("jniatexit");
        System.out.println("main ends");
    }
}
