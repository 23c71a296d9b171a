// SPDX-License-Identifier: Apache-2.0
// A thread of an agent that asks for its JNIEnv while the process ends never hears that it is detached: the debugger's back end takes
// that for an error, and says so. HotSpot ends the process soon enough, most times.
// @agent ti_end_env
// @only pellucid
// @quick
public class EndEnv {
    static native void start(Thread agent);

    public static void main(String[] args) {
        start(new Thread("asks"));
        System.out.println("ends");
    }
}
