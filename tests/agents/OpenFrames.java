// SPDX-License-Identifier: Apache-2.0
// A callback that leaves a frame of local references open does no harm to that of the native method below it.
// @agent ti_open_frames
// @modes asan
public class OpenFrames {
    static native boolean nest();

    static int inner(int i) { return i + 1; }
    static int outer(int i) { return i; }

    static int turns(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum = inner(sum);
        return sum;
    }

    public static void main(String[] args) {
        System.out.println(turns(20000));
        boolean all = true;
        for (int i = 0; i < 20; i++)
            all &= nest();
        System.out.println(all);
    }
}
