// SPDX-License-Identifier: Apache-2.0
// java.util.concurrent: executors, CompletableFuture, ForkJoin, locks, conditions, semaphores, barriers, maps.
// @modes aarch64
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.stream.*;

public class Juc {
    static class Fib extends RecursiveTask<Integer> {
        final int n;
        Fib(int n) {
            this.n = n;
        }
        protected Integer compute() {
            if (n < 8) {
                return n < 2 ? n : new Fib(n - 1).compute() + new Fib(n - 2).compute();
            }
            Fib a = new Fib(n - 1);
            a.fork();
            return new Fib(n - 2).compute() + a.join();
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService ex = Executors.newFixedThreadPool(4);
        List<Callable<Integer>> cs = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int k = i;
            cs.add(() -> k * k);
        }
        int s = 0;
        for (Future<Integer> f : ex.invokeAll(cs)) {
            s += f.get();
        }
        System.out.println(s);
        Future<?> bad = ex.submit(() -> {
            throw new IllegalStateException("task");
        });
        try {
            bad.get();
        } catch (ExecutionException e) {
            System.out.println(e.getCause());
        }
        Future<?> slow = ex.submit(() -> {
            Thread.sleep(100000);
            return null;
        });
        try {
            slow.get(10, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            System.out.println("timeout " + slow.cancel(true) + slow.isCancelled());
        }
        CompletableFuture<String> cf = CompletableFuture.supplyAsync(() -> 20, ex).thenApplyAsync(x -> x + 1).thenCombine(CompletableFuture.completedFuture(2), (a, b) -> a * b)
            .thenCompose(x -> CompletableFuture.supplyAsync(() -> "cf" + x)).exceptionally(Throwable::getMessage);
        System.out.println(cf.get(10, TimeUnit.SECONDS));
        System.out.println(CompletableFuture.supplyAsync(() -> 1 / Integer.parseInt("0")).handle((v, e) -> "" + e).join());
        System.out.println(ForkJoinPool.commonPool().invoke(new Fib(18)) + " " + new ForkJoinPool(3).invoke(new Fib(16)));
        System.out.println(IntStream.range(0, 10000).parallel().mapToLong(i -> i * (long) i).sum());
        ReentrantLock l = new ReentrantLock(true);
        Condition c = l.newCondition();
        int[] n = new int[2];
        Thread[] ts = new Thread[6];
        for (int i = 0; i < ts.length; i++) {
            ts[i] = new Thread(() -> {
                for (int k = 0; k < 100; k++) {
                    l.lock();
                    try {
                        n[0]++;
                        if (n[0] == 600) {
                            c.signalAll();
                        }
                    } finally {
                        l.unlock();
                    }
                }
            });
            ts[i].start();
        }
        l.lock();
        while (n[0] < 600) {
            c.await();
        }
        System.out.println(n[0] + " " + l.isHeldByCurrentThread() + l.getHoldCount());
        l.unlock();
        try {
            l.unlock();
        } catch (IllegalMonitorStateException e) {
            System.out.println(e);
        }
        ReentrantReadWriteLock rw = new ReentrantReadWriteLock();
        rw.readLock().lock();
        rw.readLock().lock();
        System.out.println(rw.getReadLockCount() + " " + rw.writeLock().tryLock());
        rw.readLock().unlock();
        rw.readLock().unlock();
        StampedLock sl = new StampedLock();
        long st = sl.tryOptimisticRead();
        long wl = sl.writeLock();
        System.out.println(sl.validate(st));
        sl.unlockWrite(wl);
        Semaphore sem = new Semaphore(3);
        AtomicInteger max = new AtomicInteger();
        AtomicInteger in = new AtomicInteger();
        CyclicBarrier bar = new CyclicBarrier(6, () -> n[1]++);
        CountDownLatch latch = new CountDownLatch(6);
        Phaser ph = new Phaser(1);
        for (int i = 0; i < 6; i++) {
            ph.register();
            new Thread(() -> {
                try {
                    for (int k = 0; k < 5; k++) {
                        bar.await();
                        sem.acquire();
                        max.accumulateAndGet(in.incrementAndGet(), Math::max);
                        in.decrementAndGet();
                        sem.release();
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
                ph.arriveAndDeregister();
                latch.countDown();
            }).start();
        }
        latch.await();
        ph.arriveAndAwaitAdvance();
        System.out.println(n[1] + " " + (max.get() <= 3) + " " + ph.getPhase());
        ConcurrentHashMap<Integer, LongAdder> chm = new ConcurrentHashMap<>();
        ConcurrentSkipListMap<Integer, Integer> sk = new ConcurrentSkipListMap<>();
        CountDownLatch l2 = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            int k = i;
            ex.execute(() -> {
                for (int j = 0; j < 1000; j++) {
                    chm.computeIfAbsent(j % 97, q -> new LongAdder()).increment();
                    sk.put(k * 1000 + j, j);
                }
                l2.countDown();
            });
        }
        l2.await();
        System.out.println(chm.size() + " " + chm.values().stream().mapToLong(LongAdder::sum).sum() + " " + sk.size() + " " + sk.firstKey() + " " + sk.lastKey());
        ScheduledExecutorService ses = Executors.newScheduledThreadPool(1);
        CountDownLatch ticks = new CountDownLatch(3);
        ses.scheduleAtFixedRate(ticks::countDown, 1, 2, TimeUnit.MILLISECONDS);
        System.out.println(ticks.await(10, TimeUnit.SECONDS) + " " + ses.schedule(() -> "sched", 1, TimeUnit.MILLISECONDS).get());
        ses.shutdownNow();
        BlockingQueue<Integer> sq = new SynchronousQueue<>();
        ex.execute(() -> {
            try {
                sq.put(77);
            } catch (InterruptedException e) {
                throw new Error(e);
            }
        });
        System.out.println(sq.take() + " " + new DelayQueue<>().poll() + " " + new PriorityBlockingQueue<>(List.of(3, 1, 2)).take());
        Exchanger<String> xc = new Exchanger<>();
        Future<String> xf = ex.submit(() -> xc.exchange("from pool"));
        System.out.println(xc.exchange("from main") + " " + xf.get());
        ex.shutdown();
        System.out.println(ex.awaitTermination(10, TimeUnit.SECONDS) + " " + ex.isTerminated());
        Timer tm = new Timer(true);
        CountDownLatch tl = new CountDownLatch(1);
        tm.schedule(new TimerTask() {
            public void run() {
                tl.countDown();
            }
        }, 2);
        System.out.println(tl.await(10, TimeUnit.SECONDS));
    }
}
