// SPDX-License-Identifier: Apache-2.0
// Memory segments: heap, native, mapped, confined, shared and implicit; their bounds, alignments, closing; a shared
// one that is closed while other threads access it.
// @quick
// @javac --add-modules jdk.incubator.foreign
// @flags --add-modules jdk.incubator.foreign
import java.lang.invoke.VarHandle;
import java.nio.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.atomic.*;
import jdk.incubator.foreign.*;

public class Segments {
    interface Action {
        Object run() throws Exception;
    }
    static void show(String what, Action a) {
        try {
            System.out.println(what + ": " + a.run());
        } catch (Throwable t) {
            System.out.println(what + ": " + t.getClass().getName() + " " + String.valueOf(t.getMessage()).replaceAll("MemorySegment\\{.*?\\}", "SEGMENT")
                .replaceAll("thread: Thread\\S+", "thread"));
        }
    }

    static void heap() {
        MemorySegment s = MemorySegment.ofArray(new int[] {1, 2, 3, 4});
        show("sum", () -> MemoryAccess.getIntAtIndex(s, 1) + MemoryAccess.getIntAtOffset(s, 12));
        show("out", () -> MemoryAccess.getIntAtIndex(s, 4));
        show("negative", () -> MemoryAccess.getByteAtOffset(s, -1));
        show("slice", () -> s.asSlice(4, 8).byteSize() + " " + Arrays.toString(s.asSlice(4, 8).toIntArray()));
        show("bad slice", () -> s.asSlice(12, 8));
        show("address", () -> s.address().isNative());
        show("readonly", () -> {
            MemoryAccess.setInt(s.asReadOnly(), 1);
            return "set";
        });
        show("mismatch", () -> s.mismatch(MemorySegment.ofArray(new int[] {1, 2, 9, 4})));
        VarHandle h = MemoryLayout.sequenceLayout(4, MemoryLayouts.BITS_32_LE).varHandle(int.class, MemoryLayout.PathElement.sequenceElement());
        show("cas", () -> h.compareAndSet(s, 2L, 3, 77) + " " + h.getVolatile(s, 2L) + " " + h.getAndAdd(s, 2L, 3) + " " + h.get(s, 2L));
        show("order", () -> MemoryAccess.getIntAtOffset(s, 8, ByteOrder.BIG_ENDIAN));
        show("stream", () -> s.elements(MemoryLayouts.JAVA_INT).mapToInt(MemoryAccess::getInt).sum());
    }
    static void nativeMemory() throws Exception {
        MemorySegment kept;
        try (ResourceScope scope = ResourceScope.newConfinedScope()) {
            MemorySegment s = kept = MemorySegment.allocateNative(100, 16, scope);
            show("aligned", () -> s.address().toRawLongValue() % 16);
            show("fill", () -> MemoryAccess.getLong(s.fill((byte) 0x11)));
            show("buffer", () -> s.asByteBuffer().order(ByteOrder.nativeOrder()).asIntBuffer().get(3));
            ResourceScope.Handle hold = scope.acquire();
            show("held", () -> {
                scope.close();
                return "closed";
            });
            scope.release(hold);
            Thread t = new Thread(() -> show("wrong thread", () -> MemoryAccess.getByte(s)));
            t.start();
            t.join();
            scope.addCloseAction(() -> System.out.println("action"));
        }
        show("closed", () -> MemoryAccess.getByte(kept));
        show("closed buffer", () -> kept.asByteBuffer());
        show("alive", () -> kept.scope().isAlive());
        show("huge", () -> MemorySegment.allocateNative(-1, ResourceScope.newImplicitScope()));
        show("align", () -> MemorySegment.allocateNative(8, 3, ResourceScope.newImplicitScope()));
        ResourceScope implicit = ResourceScope.newImplicitScope();
        show("implicit", () -> {
            implicit.close();
            return "";
        });
    }
    static void mapped() throws Exception {
        Path file = Files.createTempFile("segment", ".bin");
        Files.write(file, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        try (ResourceScope scope = ResourceScope.newSharedScope()) {
            MemorySegment s = MemorySegment.mapFile(file, 2, 6, FileChannel.MapMode.READ_WRITE, scope);
            show("mapped", () -> Arrays.toString(s.toByteArray()) + s.isMapped());
            MemoryAccess.setByte(s, (byte) 99);
            s.force();
            ByteBuffer b = s.asByteBuffer();
            show("in buffer", () -> b.get(0) + " " + b.isDirect() + " " + b.remaining());
        }
        show("written", () -> Arrays.toString(Files.readAllBytes(file)));
        Files.delete(file);
    }

    // ---- a scope closed while other threads are in it ----
    // Threads read and fill until they find it closed; to close fails for as long as one is just at it. At the end the memory is
    // gone for all of them.
    static void race(String what, boolean bulk) throws Exception {
        AtomicInteger wrong = new AtomicInteger(), ended = new AtomicInteger();
        for (int round = 0; round < 10; round++) {
            ResourceScope scope = ResourceScope.newSharedScope();
            MemorySegment s = MemorySegment.allocateNative(1 << 16, scope), other = MemorySegment.allocateNative(1 << 16, scope);
            CountDown started = new CountDown(3);
            Thread[] threads = new Thread[3];
            for (int i = 0; i < threads.length; i++) {
                int n = i;
                threads[i] = new Thread(() -> {
                    started.down();
                    while (true) {
                        try {
                            if (bulk) {
                                s.copyFrom(other);
                                s.mismatch(other);
                            } else {
                                MemoryAccess.setLongAtIndex(s, n, MemoryAccess.getLongAtIndex(s, n) + 1);
                            }
                        } catch (IllegalStateException e) {
                            if (!scope.isAlive()) {
                                ended.incrementAndGet();
                                return;
                            }
                        } catch (Throwable t) {
                            wrong.incrementAndGet();
                            return;
                        }
                    }
                });
                threads[i].start();
            }
            started.await();
            while (true) {
                try {
                    scope.close();
                    break;
                } catch (IllegalStateException e) {
                    if (!e.getMessage().equals("Cannot close while another thread is accessing the segment")) {
                        System.out.println(e);
                        break;
                    }
                    Thread.yield();
                }
            }
            for (Thread t : threads) {
                t.join();
            }
        }
        System.out.println(what + " " + ended + " " + wrong);
    }
    static class CountDown {
        private int count;

        CountDown(int count) {
            this.count = count;
        }
        synchronized void down() {
            count--;
            notifyAll();
        }
        synchronized void await() throws InterruptedException {
            while (count > 0) {
                wait();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        heap();
        nativeMemory();
        mapped();
        race("single", false);
        race("bulk", true);
        ResourceScope scope = ResourceScope.newSharedScope();
        MemorySegment s = MemorySegment.allocateNative(8, scope);
        ByteBuffer b = s.asByteBuffer();
        scope.close();
        show("buffer of a closed one", () -> b.get(0));
        show("twice", () -> {
            scope.close();
            return "";
        });
        show("global", () -> {
            ResourceScope.globalScope().close();
            return "";
        });
    }
}
