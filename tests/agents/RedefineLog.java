// SPDX-License-Identifier: Apache-2.0
// What -Xlog:redefine+class+load tells: the class, and how many times it was redefined.
// @agent ti_redefine
// @flags -Xlog:redefine+class+load=info:stdout:none
// @mask avail_mem=\d+K
class Logged {
    static class Inner { }
}
interface LoggedToo { }

public class RedefineLog extends Redefiner {
    public static void main(String[] args) {
        for (int i = 0; i < 3; i++)
            become(Logged.class, "Logged");
        retransform(Logged.class, Logged.Inner.class, LoggedToo.class, Logged.class);
        System.out.println(become(Logged.class, "Logged$Inner"));
        become(Logged.Inner.class, "Logged$Inner");
    }
}
