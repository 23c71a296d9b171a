// SPDX-License-Identifier: Apache-2.0
// Single operations of the class library and of the language, each done many times. `Operations <name> [repeats]` and `Operations list`
// are as those of Bench.
import java.lang.invoke.*;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.IntStream;
import javax.crypto.Cipher;
import javax.crypto.spec.*;

public class Operations {
    static final int TIMES = 1_000_000;
    static final Method METHOD;
    static final MethodHandle HANDLE;
    static final VarHandle FIELD;
    static final VarHandle ELEMENT;
    static final byte[] BYTES = new byte[1 << 16];
    int field;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            METHOD = Operations.class.getDeclaredMethod("add", int.class);
            HANDLE = lookup.unreflect(METHOD);
            FIELD = lookup.findVarHandle(Operations.class, "field", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
        ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);
        new Random(1).nextBytes(BYTES);
    }

    int add(int x) {
        return field += x;
    }

    static long methodInvoke() throws ReflectiveOperationException {
        Operations o = new Operations();
        for (int i = 0; i < TIMES; i++) {
            METHOD.invoke(o, i & 15);
        }
        return o.field;
    }

    static long methodHandle() throws Throwable {
        Operations o = new Operations();
        long sum = 0;
        for (int i = 0; i < TIMES; i++) {
            sum += (int) HANDLE.invokeExact(o, i & 15);
        }
        return sum;
    }

    static long varHandle() {
        Operations o = new Operations();
        for (int i = 0; i < TIMES; i++) {
            FIELD.setVolatile(o, (int) FIELD.getVolatile(o) + 3);
        }
        return o.field;
    }

    static long varHandleSwap() {
        Operations o = new Operations();
        for (int i = 0; i < TIMES; i++) {
            FIELD.compareAndSet(o, i, i + 1);
        }
        return o.field;
    }

    static long varHandleArray() {
        long[] a = new long[64];
        for (int i = 0; i < TIMES; i++) {
            ELEMENT.setRelease(a, i & 63, (long) ELEMENT.getAcquire(a, i + 7 & 63) + i);
        }
        return Arrays.hashCode(a);
    }

    static long atomics() {
        AtomicLong a = new AtomicLong();
        AtomicInteger b = new AtomicInteger();
        for (int i = 0; i < TIMES; i++) {
            a.incrementAndGet();
            b.compareAndSet(i, i + 1);
        }
        return a.get() + b.get();
    }

    static long directBuffer() {
        ByteBuffer b = ByteBuffer.allocateDirect(1 << 16).put(BYTES);
        long sum = 0;
        for (int i = 0; i < TIMES; i++) {
            sum += b.get(i & 0xffff) + b.getInt(i & 0xfff0);
        }
        return sum;
    }

    static long concatenation() {
        long sum = 0;
        for (int i = 0; i < TIMES; i++) {
            String s = "row " + i + ", column " + (char) ('a' + i % 26) + ": " + (long) i * i;
            sum += s.length() + s.charAt(i % 20);
        }
        return sum;
    }

    static long format() {
        long sum = 0;
        for (int i = 0; i < TIMES / 20; i++) {
            sum += String.format("%d of %s: %08x", i, "many", i * 31).hashCode();
        }
        return sum;
    }

    static long utf8() {
        String s = "some words, f\u00fcr \u0436 and \u20ac ".repeat(10);
        long sum = 0;
        for (int i = 0; i < TIMES / 20; i++) {
            byte[] b = s.getBytes(StandardCharsets.UTF_8);
            sum += new String(b, StandardCharsets.UTF_8).length() + b[i % b.length];
        }
        return sum;
    }

    static long regex() {
        Matcher m = Pattern.compile("([a-z]+)=(\\d+);").matcher("one=1;twenty=20;three=333;".repeat(20));
        long sum = 0;
        for (int i = 0; i < TIMES / 1000; i++) {
            m.reset();
            while (m.find()) {
                sum += m.end(1) + m.group(2).length();
            }
        }
        return sum;
    }

    static long hashMap() {
        Map<Integer, Integer> map = new HashMap<>();
        long sum = 0;
        for (int i = 0; i < TIMES; i++) {
            map.merge(i * 31 & 0xfff, 1, Integer::sum);
            Integer found = map.get(i & 0x1fff);
            sum += found == null ? 1 : found;
        }
        return sum;
    }

    static long intStream() {
        long sum = 0;
        for (int i = 0; i < TIMES / 1000; i++) {
            sum += IntStream.range(i, i + 1000).filter(x -> x % 3 == 0).mapToLong(x -> x * 2L).sum();
        }
        return sum;
    }

    static long stream() {
        List<Integer> list = IntStream.range(0, 1000).boxed().toList();
        long sum = 0;
        for (int i = 0; i < TIMES / 1000; i++) {
            int k = i;
            sum += list.stream().filter(x -> x % 3 == 0).map(x -> x + k).reduce(0, Integer::sum);
        }
        return sum;
    }

    static long lambda() {
        long sum = 0;
        for (int i = 0; i < TIMES; i++) {
            int k = i;
            IntUnaryOperator f = x -> x + k;
            IntBinaryOperator g = Math::max;
            sum += g.applyAsInt(f.applyAsInt(i), 1000);
        }
        return sum;
    }

    static long iterator() {
        List<Integer> list = new ArrayList<>(IntStream.range(0, 1000).boxed().toList());
        long sum = 0;
        for (int i = 0; i < TIMES / 1000; i++) {
            for (int x : list) {
                sum += x;
            }
        }
        return sum;
    }

    static long bits() {
        long sum = 0;
        for (int i = 0; i < TIMES * 10; i++) {
            sum += Integer.bitCount(i) + Long.numberOfTrailingZeros(i) + Integer.numberOfLeadingZeros(i);
        }
        return sum;
    }

    static long bigInteger() {
        BigInteger a = new BigInteger(1, Arrays.copyOf(BYTES, 256));
        BigInteger m = new BigInteger(1, Arrays.copyOfRange(BYTES, 256, 512)).setBit(0);
        BigInteger b = a;
        for (int i = 0; i < TIMES / 1000; i++) {
            b = b.multiply(a).mod(m);
        }
        return b.xor(a.modPow(BigInteger.valueOf(65537), m)).hashCode();
    }

    static long sha256() throws GeneralSecurityException {
        MessageDigest d = MessageDigest.getInstance("SHA-256");
        for (int i = 0; i < 20; i++) {
            d.update(BYTES);
        }
        return Arrays.hashCode(d.digest());
    }

    static long aes() throws GeneralSecurityException {
        long sum = 0;
        SecretKeySpec key = new SecretKeySpec(BYTES, 0, 16, "AES");
        for (int i = 0; i < 10; i++) {
            Cipher c = Cipher.getInstance("AES/GCM/NoPadding");
            c.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, BYTES, i * 12, 12));
            Cipher d = Cipher.getInstance("AES/CBC/PKCS5Padding");
            d.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(BYTES, i, 16));
            sum += Arrays.hashCode(c.doFinal(BYTES)) + Arrays.hashCode(d.doFinal(BYTES));
        }
        return sum;
    }

    static long base64() {
        long sum = 0;
        for (int i = 0; i < 20; i++) {
            byte[] b = Base64.getEncoder().encode(BYTES);
            sum += b[i] + Base64.getDecoder().decode(b).length;
        }
        return sum;
    }

    public static void main(String[] args) throws Throwable {
        Map<String, Bench.Operation> all = new LinkedHashMap<>();
        all.put("methodInvoke", Operations::methodInvoke);
        all.put("methodHandle", Operations::methodHandle);
        all.put("varHandle", Operations::varHandle);
        all.put("varHandleSwap", Operations::varHandleSwap);
        all.put("varHandleArray", Operations::varHandleArray);
        all.put("atomics", Operations::atomics);
        all.put("directBuffer", Operations::directBuffer);
        all.put("concatenation", Operations::concatenation);
        all.put("format", Operations::format);
        all.put("utf8", Operations::utf8);
        all.put("regex", Operations::regex);
        all.put("hashMap", Operations::hashMap);
        all.put("intStream", Operations::intStream);
        all.put("stream", Operations::stream);
        all.put("lambda", Operations::lambda);
        all.put("iterator", Operations::iterator);
        all.put("bits", Operations::bits);
        all.put("bigInteger", Operations::bigInteger);
        all.put("sha256", Operations::sha256);
        all.put("aes", Operations::aes);
        all.put("base64", Operations::base64);
        String which = args.length > 0 ? args[0] : "list";
        if (which.equals("list")) {
            System.out.println(String.join(" ", all.keySet()));
            return;
        }
        int repeats = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        Bench.measure(which, repeats, all.get(which));
    }
}
