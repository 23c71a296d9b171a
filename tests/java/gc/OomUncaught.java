// SPDX-License-Identifier: Apache-2.0
// OutOfMemoryError that nobody catches: message on stderr, exit code 1.
// @flags -Xmx24m
// @expect-exit 1
// @stderr
// @quick
public class OomUncaught {
    public static void main(String[] args) {
        System.out.println("going");
        Object[] chain = null;
        byte[] big = new byte[1 << 30];
        System.out.println(big.length + " " + chain);
    }
}
