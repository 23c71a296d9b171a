// SPDX-License-Identifier: Apache-2.0
// A mapped file that is cut while it is mapped: what touches the lost pages throws InternalError, and the program goes on.
// @quick
// @javac --add-modules jdk.incubator.foreign
// @flags --add-modules jdk.incubator.foreign
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.Callable;
import jdk.incubator.foreign.MemoryAccess;
import jdk.incubator.foreign.MemorySegment;
import jdk.incubator.foreign.ResourceScope;

public class MappedFault {
    static final int PAGE = 4096, SIZE = 64 * PAGE;
    static File file;
    static Object made;

    static void attempt(String what, Callable<Object> body) {
        try {
            Object result = body.call();
            Thread.yield(); // HotSpot throws at the next safepoint
            System.out.println(what + ": " + result);
        } catch (Throwable t) {
            System.out.println(what + ": " + t);
        }
    }

    static MappedByteBuffer mapAndCut(int left) throws IOException {
        try (RandomAccessFile f = new RandomAccessFile(file, "rw")) {
            f.setLength(SIZE);
            MappedByteBuffer b = f.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
            f.setLength(left);
            return b;
        }
    }

    static void singles(MappedByteBuffer b) {
        attempt("get", () -> b.get(0));
        attempt("put", () -> b.put(0, (byte) 1));
        attempt("getShort", () -> b.getShort(1));
        attempt("getChar", () -> b.getChar(2));
        attempt("getInt", () -> b.getInt(3));
        attempt("getLong", () -> b.getLong(8));
        attempt("getFloat", () -> b.getFloat(4));
        attempt("getDouble", () -> b.getDouble(16));
        attempt("putShort", () -> b.putShort(1, (short) 1));
        attempt("putChar", () -> b.putChar(2, 'a'));
        attempt("putInt", () -> b.putInt(4, 1));
        attempt("putLong", () -> b.putLong(8, 1));
        attempt("putFloat", () -> b.putFloat(3, 1));
        attempt("putDouble", () -> b.putDouble(16, 1));
        attempt("view", () -> b.asLongBuffer().get(3));
    }

    static void bulks(MappedByteBuffer b) {
        byte[] bytes = new byte[SIZE];
        attempt("get bytes", () -> b.get(0, bytes));
        attempt("put bytes", () -> b.put(0, bytes));
        attempt("few bytes", () -> b.get(0, bytes, 0, 3));
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            attempt("get longs " + order, () -> b.duplicate().order(order).asLongBuffer().get(0, new long[100]));
            attempt("put longs " + order, () -> b.duplicate().order(order).asLongBuffer().put(0, new long[100]));
            attempt("get chars " + order, () -> b.duplicate().order(order).asCharBuffer().get(0, new char[100]));
        }
        ByteBuffer direct = ByteBuffer.allocateDirect(SIZE);
        attempt("copy out", () -> direct.duplicate().put(b.duplicate()));
        attempt("copy in", () -> b.duplicate().put(direct.duplicate()));
        attempt("compact", () -> b.duplicate().position(1).compact());
        attempt("mismatch", () -> b.mismatch(direct));
        attempt("compareTo", () -> b.compareTo(direct));
        attempt("equals", () -> b.equals(direct));
        attempt("hashCode", () -> b.hashCode());
        attempt("load", () -> b.load() == b);
        attempt("force", () -> b.force() == b);
        attempt("write to a channel", () -> {
            try (RandomAccessFile f = new RandomAccessFile(file, "rw")) {
                return f.getChannel().write(b.duplicate());
            }
        });
    }

    static void segments() throws IOException {
        file.delete();
        try (RandomAccessFile f = new RandomAccessFile(file, "rw"); ResourceScope scope = ResourceScope.newConfinedScope()) {
            f.setLength(SIZE);
            MemorySegment s = MemorySegment.mapFile(file.toPath(), 0, SIZE, FileChannel.MapMode.READ_WRITE, scope);
            f.setLength(0);
            attempt("segment byte", () -> MemoryAccess.getByteAtOffset(s, 5));
            attempt("segment long", () -> MemoryAccess.getLongAtOffset(s, 8));
            attempt("segment set", () -> {
                MemoryAccess.setIntAtOffset(s, 8, 1);
                return "set";
            });
            attempt("segment array", () -> s.toByteArray().length);
            attempt("segment mismatch", () -> s.mismatch(MemorySegment.allocateNative(SIZE, scope)));
        }
    }

    // Finally and catch clauses of callers see the error as any other.
    static int sum(ByteBuffer b) {
        int sum = 0;
        try {
            while (b.hasRemaining()) {
                sum += b.get();
                made = new byte[1]; // what HotSpot interprets throws at the next call of the VM, not at a safepoint
            }
        } catch (InternalError e) {
            System.out.println("caught at " + (b.position() >= PAGE ? "the hole" : b.position()));
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        file = File.createTempFile("fault", ".bin");
        file.deleteOnExit();
        MappedByteBuffer b = mapAndCut(0);
        singles(b);
        bulks(b);
        segments();
        for (int i = 0; i < 3; i++)
            sum(mapAndCut(PAGE));
        System.out.println("the end");
    }
}
