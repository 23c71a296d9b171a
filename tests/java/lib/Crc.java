// SPDX-License-Identifier: Apache-2.0
// @quick
// CRC32 and CRC32C against their definition, bit by bit: all short lengths at all alignments, arrays, direct, heap, read-only
// and mapped buffers, in pieces; and ranges that are refused.
import java.io.File;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

public class Crc {
    static int step(int crc, int b, int polynomial) {
        crc ^= b & 0xFF;
        for (int i = 0; i < 8; i++)
            crc = crc >>> 1 ^ ((crc & 1) != 0 ? polynomial : 0);
        return crc;
    }

    static int[] prefixes(byte[] bytes, int from, int length, int polynomial) { // [n]: of the first n bytes
        int[] all = new int[length + 1];
        int crc = -1;
        for (int i = 0; i <= length; i++) {
            all[i] = ~crc;
            if (i < length)
                crc = step(crc, bytes[from + i], polynomial);
        }
        return all;
    }

    static int wrong;

    static void expect(Checksum c, int expected) {
        wrong += c.getValue() == (expected & 0xFFFFFFFFL) ? 0 : 1;
        c.reset();
    }

    static void all(Checksum c, int polynomial) throws Exception {
        byte[] bytes = new byte[400];
        new Random(7).nextBytes(bytes);
        ByteBuffer direct = ByteBuffer.allocateDirect(400).put(bytes);
        for (int from = 0; from < 9; from++) {
            int[] expected = prefixes(bytes, from, 300, polynomial);
            for (int n = 0; n <= 300; n += n < 70 ? 1 : 23) {
                c.update(bytes, from, n);
                expect(c, expected[n]);
                c.update(direct.limit(from + n).position(from));
                expect(c, expected[n]);
                c.update(ByteBuffer.wrap(bytes, from, n).asReadOnlyBuffer());
                expect(c, expected[n]);
                c.update(bytes, from, n / 3);
                if (n / 3 < n)
                    c.update(bytes[from + n / 3]);
                c.update(direct.limit(from + n).position(from + Math.min(n / 3 + 1, n)));
                expect(c, expected[n]);
            }
        }
        File file = File.createTempFile("crc", null);
        try (RandomAccessFile f = new RandomAccessFile(file, "rw")) {
            f.write(bytes);
            c.update(f.getChannel().map(FileChannel.MapMode.READ_ONLY, 3, 300));
            expect(c, prefixes(bytes, 3, 300, polynomial)[300]);
        } finally {
            file.delete();
        }
        byte[] large = new byte[100_000];
        new Random(8).nextBytes(large);
        c.update(large);
        expect(c, prefixes(large, 0, large.length, polynomial)[large.length]);
        System.out.println(c.getClass().getName() + ": " + wrong + " wrong");
        c.update("123456789".getBytes());
        System.out.println(Long.toHexString(c.getValue()));
        int[][] ranges = {{-1, 2}, {0, -1}, {0, 401}, {400, 1}, {Integer.MAX_VALUE, Integer.MAX_VALUE}};
        for (int[] r : ranges) {
            try {
                c.update(bytes, r[0], r[1]);
                System.out.println("taken");
            } catch (RuntimeException e) {
                System.out.println(e);
            }
        }
        System.out.println(Long.toHexString(c.getValue()));
    }

    public static void main(String[] args) throws Exception {
        all(new CRC32(), 0xEDB88320);
        all(new CRC32C(), 0x82F63B78);
    }
}
