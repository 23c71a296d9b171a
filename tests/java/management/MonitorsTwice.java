// SPDX-License-Identifier: Apache-2.0
// A monitor that one frame has entered twice is listed twice; the innermost first.
// @quick
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;

public class MonitorsTwice {
    static final Object LOCK = new Object();

    static synchronized void enter() {
        synchronized (MonitorsTwice.class) {
            synchronized (LOCK) {
                synchronized (LOCK) {
                    synchronized (MonitorsTwice.class) {
                        again(2);
                    }
                }
            }
        }
    }

    static void again(int depth) {
        synchronized (LOCK) {
            if (depth > 0) {
                again(depth - 1);
            } else {
                show();
            }
        }
    }

    static void show() {
        long[] own = {Thread.currentThread().getId()};
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(own, true, true)[0];
        for (MonitorInfo m : info.getLockedMonitors()) {
            System.out.println(m.getClassName() + " " + m.getLockedStackDepth() + " " + m.getLockedStackFrame());
        }
    }

    public static void main(String[] args) {
        enter();
        System.out.println("free " + !Thread.holdsLock(LOCK));
    }
}
