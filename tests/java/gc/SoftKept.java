// SPDX-License-Identifier: Apache-2.0
// By default soft references outlast collections while memory is free, and go before an OutOfMemoryError.
// @flags -Xmx64m -XX:+UseSerialGC
import java.lang.ref.*;

public class SoftKept {
    public static void main(String[] args) {
        SoftReference<byte[]> soft = new SoftReference<>(new byte[1 << 20]);
        for (int i = 0; i < 5; i++)
            System.gc();
        System.out.println("kept: " + (soft.get() != null));
        try {
            System.out.println(new byte[100 << 20].length);
        } catch (OutOfMemoryError e) {
            System.out.println("cleared: " + (soft.get() == null));
        }
    }
}
