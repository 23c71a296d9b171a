// SPDX-License-Identifier: Apache-2.0
// Digests of messages of all lengths up to 300 bytes and of some longer ones, at all offsets of a word, in one piece and in two; known
// ones, and the sum of all as the class library's own code has it. What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.02 -Xmx64m
// @modes asan stress
// @timeout 180
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;

public class Digests {
    static final byte[] bytes = new byte[70_000];

    static byte[] digest(MessageDigest d, int offset, int length, int first) {
        d.update(bytes, offset, first);
        d.update(bytes, offset + first, length - first);
        return d.digest();
    }

    static void all(String name) throws GeneralSecurityException {
        MessageDigest d = MessageDigest.getInstance(name);
        MessageDigest sum = MessageDigest.getInstance("SHA-224");
        for (int length = 0; length <= 300; length++) {
            for (int offset = 0; offset < 8; offset++) {
                byte[] whole = digest(d, offset, length, length);
                byte[] parts = digest(d, offset, length, length * offset / 7);
                if (!MessageDigest.isEqual(whole, parts)) {
                    System.out.println(name + " of " + length + " at " + offset);
                }
                sum.update(whole);
            }
        }
        sum.update(digest(d, 1, 65_537, 4_000));
        sum.update(digest(d, 3, 69_997, 63));
        System.out.println(name + " " + HexFormat.of().formatHex(d.digest("abc".getBytes(StandardCharsets.US_ASCII))) + " "
                + HexFormat.of().formatHex(sum.digest()));
    }

    static void wrong(String name) throws GeneralSecurityException {
        MessageDigest d = MessageDigest.getInstance(name);
        int thrown = 0;
        for (int[] range : new int[][] {{-1, 64}, {69_950, 128}, {0, 70_001}, {70_001, 0}, {Integer.MAX_VALUE, 64}, {0, -1}}) {
            try {
                d.update(bytes, range[0], range[1]);
            } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
                thrown++;
            }
        }
        System.out.println(name + " thrown " + thrown + " " + HexFormat.of().formatHex(d.digest()));
    }

    public static void main(String[] args) throws GeneralSecurityException {
        new Random(11).nextBytes(bytes);
        for (String name : new String[] {"SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SHA-512/256", "MD5", "SHA3-256"}) {
            all(name);
            wrong(name);
        }
    }
}
