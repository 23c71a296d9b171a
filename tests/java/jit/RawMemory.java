// SPDX-License-Identifier: Apache-2.0
// Compiled code reads and writes memory that is no object's: direct buffers of both orders at all alignments, beside the same of an array;
// and a mapped file that is cut under the loops that go over it: the first access to what is gone throws, and the frame is as it
// stood (HotSpot throws later, at a safepoint).
// @flags --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.02 -Xmx64m
// @only pellucid
// @modes asan stress
// @timeout 120
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

public class RawMemory {
    static final int PAGE = 4096, SIZE = 8 * PAGE, TURNS = 300;
    static File file;

    static long values(ByteBuffer b, int turn) {
        long sum = 0;
        for (int i = 0; i + 8 <= b.capacity(); i++) {
            b.put(i, (byte) (i * turn));
            b.putShort(i, (short) (b.getShort(i) + turn));
            b.putChar(i, (char) (b.getChar(i) * 3 + turn));
            b.putInt(i, b.getInt(i) * 31 + i);
            b.putLong(i, b.getLong(i) * 31 + turn);
            b.putFloat(i & ~3, b.getInt(i & ~3) % 1000);
            b.putDouble(i & ~7, b.getLong(i & ~7) % 1000);
            sum = sum * 31 + b.get(i) + b.getShort(i) + b.getChar(i) + b.getInt(i) + b.getLong(i);
        }
        return sum;
    }

    static void buffers() {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            ByteBuffer direct = ByteBuffer.allocateDirect(64).order(order);
            ByteBuffer heap = ByteBuffer.allocate(64).order(order);
            long sum = 0;
            for (int turn = 0; turn < TURNS; turn++) {
                long one = values(direct, turn);
                long other = values(heap, turn);
                if (one != other) {
                    System.out.println(order + " turn " + turn);
                }
                sum = sum * 31 + one;
            }
            System.out.println(order + " " + sum + " " + direct.equals(heap));
            try {
                direct.getInt(61);
            } catch (IndexOutOfBoundsException e) {
                System.out.println("out of bounds");
            }
        }
    }

    static MappedByteBuffer map(int left) throws IOException {
        try (RandomAccessFile f = new RandomAccessFile(file, "rw")) {
            f.setLength(SIZE);
            MappedByteBuffer b = f.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
            f.setLength(left);
            return b;
        }
    }

    static String read(ByteBuffer b) {
        long sum = 1;
        int i = 0;
        try {
            for (; i < b.capacity(); i += 8) {
                sum = sum * 3 + b.getLong(i) + b.get(i + 7) + b.getInt(i + 1);
            }
        } catch (InternalError e) {
            return "refused at " + i + " with " + sum;
        }
        return "read " + sum;
    }

    static String write(ByteBuffer b) {
        int i = 0;
        int done = 0;
        try {
            for (; i < b.capacity(); i += 8) {
                b.putLong(i, i);
                b.put(i + 7, (byte) 3);
                b.putInt(i + 1, 1 << 20);
                done += 2;
            }
        } catch (InternalError e) {
            return "refused at " + i + " after " + done;
        }
        return "written " + done;
    }

    static void mapped() throws IOException {
        file = File.createTempFile("raw", ".bin");
        file.deleteOnExit();
        for (int turn = 0; turn < 30; turn++) {
            int left = turn % 10 == 9 ? turn / 10 * PAGE : SIZE;
            String written = write(map(left));
            String read = read(map(left));
            if (turn < 2 || left < SIZE) {
                System.out.println(written + ", " + read);
            }
        }
    }

    public static void main(String[] args) throws IOException {
        buffers();
        mapped();
    }
}
