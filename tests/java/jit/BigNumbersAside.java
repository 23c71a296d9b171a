// SPDX-License-Identifier: Apache-2.0
// BigInteger's own methods with what its callers never give: arrays that are the same, offsets at both ends, arrays that are too short, an
// inverse that is none. What they do is as their Java says.
// @flags --add-opens=java.base/java.math=ALL-UNNAMED -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:CompileThresholdScaling=0.02 -Xmx64m
// @modes asan stress
// @timeout 120
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Random;

public class BigNumbersAside {
    static final long MASK = 0xFFFFFFFFL;
    static final Random random = new Random(7);

    static Method method(String name, Class<?>... parameters) throws Exception {
        Method m = Class.forName("java.math.BigInteger").getDeclaredMethod(name, parameters);
        m.setAccessible(true);
        return m;
    }

    static int mulAdd(int[] out, int[] in, int offset, int len, int k) {
        long carry = 0;
        offset = out.length - offset - 1;
        for (int j = len - 1; j >= 0; j--) {
            long product = (in[j] & MASK) * (k & MASK) + (out[offset] & MASK) + carry;
            out[offset--] = (int) product;
            carry = product >>> 32;
        }
        return (int) carry;
    }

    static int[] numbers(int length) {
        int[] a = new int[length];
        for (int i = 0; i < length; i++) {
            a[i] = random.nextInt(3) == 0 ? -1 : random.nextInt();
        }
        return a;
    }

    static void mulAdds() throws Exception {
        Method mulAdd = method("mulAdd", int[].class, int[].class, int.class, int.class, int.class);
        int wrong = 0;
        int thrown = 0;
        for (int turn = 0; turn < 3000; turn++) {
            int[] out = numbers(1 + random.nextInt(40));
            int[] mine = out.clone();
            boolean same = random.nextInt(3) == 0;
            int[] in = same ? out : numbers(random.nextInt(40));
            int[] myIn = same ? mine : in.clone();
            int offset = random.nextInt(42) - 1;
            int length = random.nextInt(42) - 1;
            int k = random.nextInt(4) == 0 ? -1 : random.nextInt();
            boolean bad = length > in.length || offset < 0 || offset > out.length - 1 || length > out.length - offset;
            try {
                int carry = (int) mulAdd.invoke(null, out, in, offset, length, k);
                wrong += bad || carry != mulAdd(mine, myIn, offset, length, k) ? 1 : 0;
            } catch (InvocationTargetException e) {
                wrong += bad && e.getCause() instanceof IllegalArgumentException ? 0 : 1;
                thrown++;
            }
            wrong += Arrays.equals(out, mine) ? 0 : 1;
        }
        System.out.println("mulAdd " + wrong + " wrong, thrown " + (thrown > 100));
    }

    // The same array for the number and its product, and an inverse that is none: as its own Java, which runs first.
    static void montgomery() throws Exception {
        Method multiply = method("montgomeryMultiply", int[].class, int[].class, int[].class, int.class, long.class, int[].class);
        int[] a = numbers(8);
        int[] n = numbers(8);
        n[7] |= 1;
        String first = null;
        int different = 0;
        for (int turn = 0; turn < 2000; turn++) {
            int[] product = Arrays.copyOf(a, 16);
            String result = Arrays.toString((int[]) multiply.invoke(null, product, a, n, 8, 12345L, product));
            first = first == null ? result : first;
            different += result.equals(first) ? 0 : 1;
        }
        System.out.println("montgomery " + different + " different");
        for (Object[] bad : new Object[][] {{a, a, n, 7, 1L, null}, {a, a, n, 10, 1L, null}, {a, a, n, 0, 1L, null}, {a, null, n, 8, 1L, null}}) {
            try {
                multiply.invoke(null, bad);
                System.out.println("not thrown");
            } catch (InvocationTargetException e) {
                System.out.println(e.getCause().getClass().getName());
            }
        }
    }

    public static void main(String[] args) throws Exception {
        mulAdds();
        montgomery();
    }
}
