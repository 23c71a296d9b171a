// SPDX-License-Identifier: Apache-2.0
// Operations of Unsafe on the lost pages of a file that was cut while mapped, which end HotSpot when they are not compiled.
// The error comes from the very access.
// @quick
// @only pellucid
// @flags --add-opens java.base/java.nio=ALL-UNNAMED
import java.io.File;
import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;
import sun.misc.Unsafe;

public class UnsafeFault {
    static final int SIZE = 16 * 4096;
    static Unsafe unsafe;

    static void attempt(String what, Runnable body) {
        try {
            body.run();
            System.out.println(what + ": done");
        } catch (InternalError e) {
            System.out.println(what + ": " + e.getMessage() + " in " + e.getStackTrace()[0].getMethodName());
        }
    }

    public static void main(String[] args) throws Exception {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        unsafe = (Unsafe) field.get(null);
        Field address = Buffer.class.getDeclaredField("address");
        address.setAccessible(true);
        File file = File.createTempFile("fault", ".bin");
        file.deleteOnExit();
        MappedByteBuffer b;
        try (RandomAccessFile f = new RandomAccessFile(file, "rw")) {
            f.setLength(SIZE);
            b = f.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
            f.setLength(0);
        }
        long at = address.getLong(b);
        attempt("setMemory", () -> unsafe.setMemory(at, SIZE, (byte) 3));
        attempt("copyMemory", () -> unsafe.copyMemory(at, at + SIZE / 2, SIZE / 2));
        attempt("compareAndSwapInt", () -> unsafe.compareAndSwapInt(null, at, 0, 1));
        attempt("compareAndSwapLong", () -> unsafe.compareAndSwapLong(null, at, 0, 1));
        attempt("getAndAddInt", () -> unsafe.getAndAddInt(null, at, 1));
        attempt("getAndSetLong", () -> unsafe.getAndSetLong(null, at, 1));
        attempt("getByteVolatile", () -> unsafe.getByteVolatile(null, at));
        attempt("getDoubleVolatile", () -> unsafe.getDoubleVolatile(null, at));
        attempt("putBooleanVolatile", () -> unsafe.putBooleanVolatile(null, at, true));
        attempt("putIntVolatile", () -> unsafe.putIntVolatile(null, at, 1));
        attempt("putOrderedLong", () -> unsafe.putOrderedLong(null, at, 1));
        attempt("putFloat", () -> unsafe.putFloat(at, 1));
        CRC32C checksum = new CRC32C();
        attempt("CRC32C", () -> checksum.update(b));
        System.out.println(checksum.getValue());
        long own = unsafe.allocateMemory(64);
        attempt("own memory", () -> unsafe.setMemory(own, 64, (byte) 0));
        attempt("own memory", () -> unsafe.compareAndSwapLong(null, own, 0, 5));
        System.out.println(unsafe.getLong(own) + " " + unsafe.getInt(own + 3) + " " + unsafe.getAndAddInt(null, own, 2));
        unsafe.freeMemory(own);
    }
}
