// SPDX-License-Identifier: Apache-2.0
// AES of all modes that have code of their own, with keys of all sizes, over lengths up to 300 bytes and some longer ones, at all offsets,
// in place and overlapping, with counters that run over, and back again. What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.02 -Xmx64m
// @modes asan stress
// @timeout 180
import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

public class Ciphers {
    static final byte[] bytes = new byte[70_000];
    static long sum;

    static AlgorithmParameterSpec parameters(String mode, byte[] iv) {
        return mode.startsWith("ECB") ? null : mode.startsWith("GCM") ? new GCMParameterSpec(128, iv) : new IvParameterSpec(iv);
    }

    static byte[] iv(String mode, int turn) {
        byte[] iv = Arrays.copyOfRange(bytes, turn, turn + (mode.startsWith("GCM") && turn % 3 != 0 ? 12 : 16));
        if (turn % 4 == 0) { // the counter runs over
            Arrays.fill(iv, turn % 8 == 0 ? 0 : 8, iv.length, (byte) -1);
            iv[iv.length - 1] = (byte) (-1 - turn % 7);
        }
        return iv;
    }

    static void mix(byte[] result) {
        sum = sum * 31 + Arrays.hashCode(result);
    }

    static void one(String mode, SecretKeySpec key, int offset, int length, int turn) throws GeneralSecurityException {
        Cipher c = Cipher.getInstance("AES/" + mode);
        byte[] iv = iv(mode, turn);
        c.init(Cipher.ENCRYPT_MODE, key, parameters(mode, iv));
        boolean authentic = mode.startsWith("GCM");
        if (authentic) {
            c.updateAAD(bytes, 0, turn % 70);
        }
        byte[] secret = c.doFinal(bytes, offset, length);
        mix(secret);
        c.init(Cipher.DECRYPT_MODE, key, parameters(mode, iv));
        if (authentic) {
            c.updateAAD(bytes, 0, turn % 70);
        }
        byte[] moved = new byte[secret.length + 40];
        System.arraycopy(secret, 0, moved, offset, secret.length);
        int first = secret.length * offset / 9;
        byte[] a = c.update(moved, offset, first);
        byte[] b = c.doFinal(moved, offset + first, secret.length - first);
        byte[] plain = a == null ? b : Arrays.copyOf(a, a.length + b.length);
        if (a != null) {
            System.arraycopy(b, 0, plain, a.length, b.length);
        }
        if (!Arrays.equals(plain, Arrays.copyOfRange(bytes, offset, offset + length))) {
            System.out.println(mode + " of " + length + " at " + offset);
        }
    }

    // Output over the input, before it and behind it.
    static void overlapping(String mode, SecretKeySpec key, int turn) throws GeneralSecurityException {
        for (int to = 0; to <= 64; to += 1 + turn % 5) {
            byte[] buffer = Arrays.copyOf(bytes, 400);
            Cipher c = Cipher.getInstance("AES/" + mode);
            c.init(Cipher.ENCRYPT_MODE, key, parameters(mode, iv(mode, turn)));
            c.doFinal(buffer, 32, 160, buffer, to);
            mix(buffer);
        }
    }

    static void forged(SecretKeySpec key) throws GeneralSecurityException {
        Cipher c = Cipher.getInstance("AES/GCM/NoPadding");
        c.init(Cipher.ENCRYPT_MODE, key, parameters("GCM", iv("GCM", 1)));
        byte[] secret = c.doFinal(bytes, 0, 1000);
        int refused = 0;
        for (int i = 0; i < secret.length; i += 7) {
            secret[i] ^= 1;
            c.init(Cipher.DECRYPT_MODE, key, parameters("GCM", iv("GCM", 1)));
            try {
                c.doFinal(secret);
            } catch (AEADBadTagException e) {
                refused++;
            }
            secret[i] ^= 1;
        }
        System.out.println("refused " + refused);
    }

    public static void main(String[] args) throws GeneralSecurityException {
        new Random(11).nextBytes(bytes);
        Cipher known = Cipher.getInstance("AES/ECB/NoPadding");
        known.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f"), "AES"));
        System.out.println(HexFormat.of().formatHex(known.doFinal(HexFormat.of().parseHex("00112233445566778899aabbccddeeff"))));
        for (String mode : new String[] {"ECB/PKCS5Padding", "CBC/PKCS5Padding", "CTR/NoPadding", "GCM/NoPadding", "CFB/NoPadding"}) {
            for (int size = 16; size <= 32; size += 8) {
                SecretKeySpec key = new SecretKeySpec(bytes, size, size, "AES");
                sum = 0;
                for (int length = 0; length <= 300; length++) {
                    one(mode, key, length % 9, length, length);
                }
                one(mode, key, 3, 65_536, 4);
                one(mode, key, 1, 65_600, 8);
                for (int turn = 0; turn < 12; turn++) {
                    overlapping(mode, key, turn);
                }
                System.out.println(mode + " " + size + " " + sum);
            }
        }
        forged(new SecretKeySpec(bytes, 5, 16, "AES"));
    }
}
