// SPDX-License-Identifier: Apache-2.0
// ResourceExhausted for each kind of OutOfMemoryError: heap, array size, threads; not for direct memory.
// @agent ti_exhausted
// @mask \[[0-9.]+s\]
// @flags -Xmx32m -XX:+UseSerialGC -XX:MaxDirectMemorySize=1m -Xlog:os+thread=off
public class Exhausted {
    static void attempt(String what, Runnable r) {
        try {
            r.run();
        } catch (OutOfMemoryError e) {
            System.out.println(what + ": " + e.getMessage());
        }
        System.out.flush();
    }

    public static void main(String[] args) {
        attempt("heap", () -> System.out.println(new byte[100_000_000].length));
        attempt("array", () -> System.out.println(new int[Integer.MAX_VALUE].length));
        attempt("clone", () -> System.out.println(new byte[20_000_000].clone().length));
        attempt("threads", () -> new Thread(null, () -> { }, "big", 1L << 46).start());
        attempt("direct", () -> System.out.println(java.nio.ByteBuffer.allocateDirect(5_000_000)));
    }
}
