// SPDX-License-Identifier: Apache-2.0
// -XX:SoftRefLRUPolicyMSPerMB=0: a collection clears what is softly reachable and was not used since
// the one before.
// @quick
// @stress 1000000
// Collections of others would set the clock: in the stress build too they come when they are asked for.
// @flags -Xmx64m -XX:+UseSerialGC -XX:SoftRefLRUPolicyMSPerMB=0
import java.lang.ref.*;

public class SoftPolicy {
    public static void main(String[] args) throws Exception {
        SoftReference<Object> used = new SoftReference<>(new Object()), unused = new SoftReference<>(new Object());
        System.gc();
        Thread.sleep(20);
        System.out.println("used: " + (used.get() != null));
        System.gc();
        Thread.sleep(20);
        System.gc();
        System.out.println("unused: " + (unused.get() != null));
    }
}
