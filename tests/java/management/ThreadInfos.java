// SPDX-License-Identifier: Apache-2.0
// ThreadInfo: states, stacks, what is waited for and who has it, locked monitors with their frames,
// owned synchronizers, contention; deadlocks; counts.
// @quick
import java.lang.management.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

public class ThreadInfos {
    static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    static final Object HELD = new Object();

    static Thread start(String name, Runnable r, Thread.State until) throws Exception {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
        while (t.getState() != until)
            Thread.sleep(1);
        return t;
    }

    static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
        }
    }

    static synchronized void hold(Object o, Lock l) {
        l.lock();
        synchronized (o) {
            pause(1_000_000);
        }
    }

    static void waitOn(Object o) {
        synchronized (HELD) {
            synchronized (o) {
                try {
                    o.wait();
                } catch (InterruptedException e) {
                }
            }
        }
    }

    static void print(ThreadInfo i) {
        if (i == null) {
            System.out.println("null");
            return;
        }
        System.out.println(i.getThreadName() + " " + i.getThreadState() + " daemon " + i.isDaemon() + " prio " + i.getPriority()
            + " lock " + (i.getLockInfo() == null ? null : i.getLockInfo().getClassName()) + " owner " + i.getLockOwnerName()
            + " native " + i.isInNative() + " suspended " + i.isSuspended());
        for (StackTraceElement e : i.getStackTrace())
            System.out.println("  " + e.getClassName().replaceAll("/0x.*", "") + "." + e.getMethodName());
        for (MonitorInfo m : i.getLockedMonitors())
            System.out.println("  monitor " + m.getClassName() + " " + m.getLockedStackDepth() + " " + m.getLockedStackFrame().getMethodName());
        for (LockInfo l : i.getLockedSynchronizers())
            System.out.println("  synchronizer " + l.getClassName());
    }

    static void deadlock() throws Exception {
        Object x = new Object(), y = new Object();
        Lock l = new ReentrantLock(), m = new ReentrantLock();
        CyclicBarrier a = new CyclicBarrier(2), b = new CyclicBarrier(2);
        CountDownLatch past = new CountDownLatch(4);
        System.out.println(threads.findDeadlockedThreads() == null && threads.findMonitorDeadlockedThreads() == null);
        Thread[] t = new Thread[4];
        t[0] = new Thread(() -> { synchronized (x) { await(a, past); synchronized (y) { } } });
        t[1] = new Thread(() -> { synchronized (y) { await(a, past); synchronized (x) { } } });
        t[2] = new Thread(() -> { l.lock(); await(b, past); m.lock(); });
        t[3] = new Thread(() -> { m.lock(); await(b, past); synchronized (l) { l.lock(); } });
        for (Thread one : t) {
            one.setDaemon(true);
            one.start();
        }
        past.await();
        for (int i = 0; i < 4; i++)
            while (t[i].getState() != (i < 2 ? Thread.State.BLOCKED : Thread.State.WAITING))
                Thread.sleep(1);
        System.out.println("all " + indices(t, threads.findDeadlockedThreads()));
        System.out.println("monitors " + indices(t, threads.findMonitorDeadlockedThreads()));
    }

    static String indices(Thread[] t, long[] ids) {
        TreeSet<Integer> found = new TreeSet<>();
        for (long id : ids)
            for (int i = 0; i < t.length; i++)
                if (t[i].getId() == id)
                    found.add(i);
        return ids.length + " " + found;
    }

    // Waits for the other thread, and then says that it is past that.
    static void await(CyclicBarrier b, CountDownLatch past) {
        try {
            b.await();
            past.countDown();
        } catch (Exception e) {
        }
    }

    static void figures() throws Exception {
        com.sun.management.ThreadMXBean more = (com.sun.management.ThreadMXBean) threads;
        System.out.println(threads.isThreadContentionMonitoringSupported() + " " + threads.isThreadContentionMonitoringEnabled()
            + " " + threads.isCurrentThreadCpuTimeSupported() + " " + threads.isThreadCpuTimeSupported() + " "
            + threads.isThreadCpuTimeEnabled() + " " + threads.isObjectMonitorUsageSupported() + " "
            + threads.isSynchronizerUsageSupported() + " " + more.isThreadAllocatedMemorySupported() + " "
            + more.isThreadAllocatedMemoryEnabled());
        long me = Thread.currentThread().getId(), before = more.getThreadAllocatedBytes(me);
        byte[] big = new byte[3_000_000];
        long used = more.getThreadAllocatedBytes(me) - before;
        System.out.println(used >= big.length && used < big.length + 500_000);
        System.out.println(more.getCurrentThreadAllocatedBytes() > before);
        System.out.println(threads.getCurrentThreadCpuTime() > 0 && threads.getThreadCpuTime(me) >= threads.getThreadUserTime(me));
        System.out.println(Arrays.toString(more.getThreadCpuTime(new long[] {99999})) + Arrays.toString(more.getThreadAllocatedBytes(new long[] {99999})));
        threads.setThreadCpuTimeEnabled(false);
        System.out.println(threads.getCurrentThreadCpuTime());
        threads.setThreadCpuTimeEnabled(true);
        long started = threads.getTotalStartedThreadCount();
        int live = threads.getThreadCount(), daemons = threads.getDaemonThreadCount();
        threads.resetPeakThreadCount();
        Thread[] some = new Thread[5];
        CountDownLatch done = new CountDownLatch(1);
        for (int i = 0; i < some.length; i++) {
            some[i] = new Thread(() -> { try { done.await(); } catch (InterruptedException e) { } });
            some[i].setDaemon(i % 2 == 0);
            some[i].start();
        }
        System.out.println((threads.getTotalStartedThreadCount() - started) + " " + (threads.getThreadCount() - live) + " "
            + (threads.getDaemonThreadCount() - daemons) + " " + (threads.getPeakThreadCount() - live));
        done.countDown();
        for (Thread t : some)
            t.join();
        while (threads.getThreadCount() > live)
            Thread.sleep(1);
        System.out.println((threads.getTotalStartedThreadCount() - started) + " " + (threads.getPeakThreadCount() - live));
    }

    static void contention() throws Exception {
        threads.setThreadContentionMonitoringEnabled(true);
        Object o = new Object();
        Thread t;
        synchronized (o) {
            t = start("contender", () -> {
                synchronized (o) { }
                pause(20);
                LockSupport.parkNanos(20_000_000);
                pause(1_000_000);
            }, Thread.State.BLOCKED);
            Thread.sleep(200);
        }
        while (threads.getThreadInfo(t.getId()).getWaitedCount() < 3)
            Thread.sleep(1);
        ThreadInfo i = threads.getThreadInfo(t.getId());
        System.out.println(i.getBlockedCount() + " " + i.getWaitedCount() + " " + (i.getBlockedTime() >= 15) + " " + (i.getWaitedTime() >= 35));
        threads.setThreadContentionMonitoringEnabled(false);
        System.out.println(threads.getThreadInfo(t.getId()).getBlockedTime());
    }

    public static void main(String[] args) throws Exception {
        Object o = new Object(), w = new StringBuilder();
        Lock l = new ReentrantLock();
        Thread holder = start("holder", () -> hold(o, l), Thread.State.TIMED_WAITING);
        Thread blocked = start("blocked", () -> { synchronized (o) { } }, Thread.State.BLOCKED);
        Thread parked = start("parked", l::lock, Thread.State.WAITING);
        Thread waiter = start("waiter", () -> waitOn(w), Thread.State.WAITING);
        long[] ids = {holder.getId(), blocked.getId(), parked.getId(), waiter.getId(), 987654};
        for (ThreadInfo i : threads.getThreadInfo(ids, true, true))
            print(i);
        for (ThreadInfo i : threads.getThreadInfo(ids, 1))
            print(i);
        for (ThreadInfo i : threads.getThreadInfo(ids, true, false, 2))
            print(i);
        print(threads.getThreadInfo(ids[0]));
        try {
            threads.getThreadInfo(new long[] {-5});
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        ThreadInfo[] all = threads.dumpAllThreads(false, false, 0);
        System.out.println(all[0].getThreadName() + " " + (all.length == threads.getAllThreadIds().length) + " " + all[0].getStackTrace().length);
        figures();
        contention();
        deadlock();
    }
}
