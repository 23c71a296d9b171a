// SPDX-License-Identifier: Apache-2.0
// The class library's short natives, which the engine calls by a shorter way, under tools: calls are counted as long as somebody
// listens, and what an agent binds in a native's place is called.
// @agent ti_short_natives
// @mask \[[0-9.]+s\]
// @quick
public class ShortNatives {
    static native void count(boolean on);

    static native void replace();

    static native void restore();

    static int work() {
        int n = 0;
        for (int i = 0; i < 1000; i++) {
            n += StrictMath.sin(0) == 0 && StrictMath.cos(0) == 1 && Thread.currentThread() != null ? 1 : 0;
        }
        return n;
    }

    public static void main(String[] args) throws Exception {
        System.out.println(work());
        count(true);
        work();
        count(false);
        work();
        count(true);
        work();
        count(false);
        replace();
        System.out.println(StrictMath.sin(0) + " " + StrictMath.cos(0));
        Thread other = new Thread(() -> System.out.println(StrictMath.sin(0)));
        other.start();
        other.join();
        restore();
        System.out.println(StrictMath.sin(0) + " " + work() + " " + StrictMath.tan(0));
    }
}
