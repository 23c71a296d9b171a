// SPDX-License-Identifier: Apache-2.0
// The monitors of a frame whose way leads through subroutines: within one, and behind it.
// @quick
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;

public class JsrMonitors {
    public static void show() {
        long[] self = {Thread.currentThread().getId()};
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(self, true, false)[0];
        int count = 0;
        for (MonitorInfo m : info.getLockedMonitors())
            if (m.getLockedStackFrame().getClassName().equals("Jsr")) {
                System.out.println(m.getClassName() + " entered in " + m.getLockedStackFrame().getMethodName());
                count++;
            }
        System.out.println("monitors " + count);
    }

    public static void main(String[] args) {
        Asm.t("subroutines", () -> {
            Asm a = Asm.simple(48, "Jsr");
            a.method(9, "m", "()I").create("java/lang/Object").op(0x59, 0x4c, 0xc2).jump(0xa8, "sub") // new, astore_1, monitorenter
                .invokeStatic("JsrMonitors", "show", "()V").jump(0xc9, "sub").invokeStatic("JsrMonitors", "show", "()V")
                .op(0x2b, 0xc3).invokeStatic("JsrMonitors", "show", "()V").op(0x04, 0xac)
                .label("sub").op(0x4d).invokeStatic("JsrMonitors", "show", "()V").op(0xa9, 2);
            return Asm.run(a);
        });
    }
}
