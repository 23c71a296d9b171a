// SPDX-License-Identifier: Apache-2.0
// Computing of many kinds: Commons Math, streams, serialization, BigInteger, regular expressions, zip, crypto.
import java.io.*;
import java.math.*;
import java.nio.charset.StandardCharsets;
import java.security.*;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;
import java.util.zip.*;
import javax.crypto.*;
import javax.crypto.spec.*;
import org.apache.commons.math3.analysis.integration.SimpsonIntegrator;
import org.apache.commons.math3.linear.*;
import org.apache.commons.math3.stat.regression.SimpleRegression;
import org.apache.commons.math3.transform.*;

public class Mix {
    record Point(int x, double y, List<String> names) implements Serializable { }

    static void math() {
        double[][] m = new double[40][40];
        Random random = new Random(5);
        for (double[] row : m) {
            for (int i = 0; i < row.length; i++) {
                row[i] = random.nextGaussian();
            }
        }
        RealMatrix a = MatrixUtils.createRealMatrix(m);
        System.out.println(new LUDecomposition(a).getDeterminant());
        System.out.println(new SingularValueDecomposition(a).getNorm());
        System.out.println(new SimpsonIntegrator().integrate(100000, Math::sin, 0, 3));
        SimpleRegression line = new SimpleRegression();
        for (int i = 0; i < 1000; i++) {
            line.addData(i, 3 * i + random.nextGaussian());
        }
        System.out.println(line.getSlope());
        System.out.println(new FastFourierTransformer(DftNormalization.STANDARD).transform(m[0].length == 40 ? Arrays.copyOf(m[0], 64) : m[0], TransformType.FORWARD)[7]);
    }

    static void streams() {
        System.out.println(IntStream.range(0, 20000).parallel().filter(i -> BigInteger.valueOf(i).isProbablePrime(20)).mapToLong(i -> i).sum());
        System.out.println(new TreeMap<>(Stream.of("the quick brown fox jumps over the lazy dog".split("")).collect(Collectors.groupingBy(s -> s, Collectors.counting()))));
        System.out.println(IntStream.rangeClosed(1, 8).boxed().flatMap(i -> IntStream.range(0, i).mapToObj(j -> i + "/" + j)).skip(20).limit(5).collect(Collectors.joining(" ")));
    }

    static void serialization() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<Object> graph = new ArrayList<>(List.of(new Point(1, 2.5, List.of("a", "b")), new HashMap<>(Map.of("k", new int[] {1, 2})), Thread.State.NEW, "text"));
        graph.add(graph);
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(graph);
        }
        List<?> back = (List<?>) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        System.out.println(back.get(0) + " " + (back.get(4) == back) + " " + (back.get(2) == Thread.State.NEW) + " " + bytes.size());
    }

    static void numbers() {
        BigInteger f = BigInteger.ONE;
        for (int i = 2; i <= 1000; i++) {
            f = f.multiply(BigInteger.valueOf(i));
        }
        System.out.println(f.bitLength() + " " + f.mod(BigInteger.valueOf(1_000_003)) + " " + f.sqrt().hashCode());
        System.out.println(new BigDecimal(2).sqrt(new MathContext(60)) + " " + BigInteger.TWO.modPow(f, BigInteger.valueOf(1_000_000_007)));
        System.out.println(Math.fma(1e300, 1e10, -1) + " " + StrictMath.cbrt(3) + " " + Double.toHexString(Math.log1p(1e-9)));
    }

    static void text() throws Exception {
        String text = IntStream.range(0, 3000).mapToObj(i -> "key" + i + "=" + i * i + ";").collect(Collectors.joining());
        Matcher matcher = Pattern.compile("key(?<n>\\d*7)=(?<v>\\d+)(?=;)").matcher(text);
        long sum = 0;
        while (matcher.find()) {
            sum += Long.parseLong(matcher.group("v"));
        }
        System.out.println(sum + " " + text.replaceAll("(\\d)(\\d)", "$2$1").hashCode());
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(zipped)) {
            zip.putNextEntry(new ZipEntry("text"));
            zip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(zipped.toByteArray()));
        System.out.println(in.getNextEntry().getName() + " " + new String(in.readAllBytes()).equals(text));
    }

    static void crypto() throws Exception {
        byte[] data = "a secret".repeat(1000).getBytes();
        for (String name : List.of("MD5", "SHA-1", "SHA-256", "SHA-512", "SHA3-256")) {
            System.out.println(name + " " + HexFormat.of().formatHex(MessageDigest.getInstance(name).digest(data)));
        }
        SecretKey key = new SecretKeySpec(SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(new PBEKeySpec("pass".toCharArray(), new byte[8], 500, 128)).getEncoded(), "AES");
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, new byte[12]));
        byte[] sealed = cipher.doFinal(data);
        cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, new byte[12]));
        System.out.println(Arrays.hashCode(sealed) + " " + Arrays.equals(data, cipher.doFinal(sealed)));
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        KeyPair pair = generator.generateKeyPair();
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(pair.getPrivate());
        signature.update(data);
        byte[] signed = signature.sign();
        signature.initVerify(pair.getPublic());
        signature.update(data);
        System.out.println(signature.verify(signed));
    }

    public static void main(String[] args) throws Exception {
        math();
        streams();
        serialization();
        numbers();
        text();
        crypto();
    }
}
