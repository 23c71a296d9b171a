// SPDX-License-Identifier: Apache-2.0
// Message digests, MACs, ciphers, signatures with fixed keys, key derivation, secure random.
// @timeout 120
import java.math.BigInteger;
import java.security.*;
import java.security.spec.*;
import java.util.*;
import javax.crypto.*;
import javax.crypto.spec.*;

public class Crypto {
    static String hex(byte[] b) {
        return HexFormat.of().formatHex(b);
    }

    public static void main(String[] args) throws Exception {
        byte[] data = "The quick brown fox".repeat(20).getBytes();
        for (String a : new String[] {"MD5", "SHA-1", "SHA-256", "SHA-512", "SHA3-256", "SHA-512/256"}) {
            System.out.println(a + " " + hex(MessageDigest.getInstance(a).digest(data)));
        }
        byte[] key = "0123456789abcdef".getBytes();
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        System.out.println(hex(mac.doFinal(data)));
        for (String t : new String[] {"AES/ECB/PKCS5Padding", "AES/CBC/PKCS5Padding", "AES/CTR/NoPadding", "AES/GCM/NoPadding"}) {
            Cipher c = Cipher.getInstance(t);
            AlgorithmParameterSpec ps = t.contains("ECB") ? null : t.contains("GCM") ? new GCMParameterSpec(128, key, 0, 12) : new IvParameterSpec(key);
            c.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), ps);
            byte[] e = c.doFinal(data);
            c.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "AES"), ps);
            System.out.println(t + " " + Arrays.hashCode(e) + " " + Arrays.equals(c.doFinal(e), data));
        }
        Cipher d = Cipher.getInstance("DESede/CBC/PKCS5Padding");
        d.init(Cipher.ENCRYPT_MODE, new SecretKeySpec("0123456789abcdef01234567".getBytes(), "DESede"), new IvParameterSpec(new byte[8]));
        System.out.println(Arrays.hashCode(d.doFinal(data)));
        System.out.println(hex(SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(new PBEKeySpec("pw".toCharArray(), key, 100, 128)).getEncoded()));
        SecureRandom sr = SecureRandom.getInstance("SHA1PRNG");
        sr.setSeed(7);
        System.out.println(sr.nextInt() + " " + new SecureRandom().generateSeed(4).length);
        KeyPairGenerator g = KeyPairGenerator.getInstance("RSA");
        g.initialize(512, sr);
        KeyPair kp = g.generateKeyPair();
        Signature s = Signature.getInstance("SHA1withRSA");
        s.initSign(kp.getPrivate());
        s.update(data);
        byte[] sig = s.sign();
        s.initVerify(kp.getPublic());
        s.update(data);
        System.out.println(sig.length + " " + s.verify(sig) + " " + kp.getPublic().getFormat());
        try {
            Cipher.getInstance("Nope/X/Y");
        } catch (NoSuchAlgorithmException e) {
            System.out.println(e.getMessage());
        }
        try {
            Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding");
            c.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(key));
            c.doFinal(new byte[15]);
        } catch (IllegalBlockSizeException e) {
            System.out.println(e.getMessage());
        }
        List<String> ps = new ArrayList<>();
        for (Provider p : Security.getProviders()) {
            ps.add(p.getName());
        }
        System.out.println(ps);
    }
}
