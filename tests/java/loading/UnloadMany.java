// SPDX-License-Identifier: Apache-2.0
// Many more classes than there is room for, loaded and dropped: in loaders, hidden ones, lambdas, proxies.
// @flags -Xmx64m -XX:MaxMetaspaceSize=40m
// @timeout 120
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.util.function.IntSupplier;

public class UnloadMany {
    static final int CLASSES = 50;

    // Victim under another name of the same length.
    static byte[] renamed(byte[] bytes, int i) {
        byte[] from = "Victim".getBytes(), to = String.format("Vict%02d", i).getBytes(), out = bytes.clone();
        for (int at = 0; at + from.length <= out.length; at++) {
            int n = 0;
            while (n < from.length && out[at + n] == from[n]) {
                n++;
            }
            if (n == from.length) {
                System.arraycopy(to, 0, out, at, n);
            }
        }
        return out;
    }

    static int loaders(int count) throws Exception {
        byte[] bytes = Dropped.bytes("Victim");
        byte[][] all = new byte[CLASSES][];
        for (int i = 0; i < CLASSES; i++) {
            all[i] = renamed(bytes, i);
        }
        int sum = 0;
        for (int i = 0; i < count; i++) {
            Dropped l = new Dropped("none");
            for (int j = 0; j < CLASSES; j++) {
                Class<?> c = l.define(String.format("Vict%02d", j), all[j]);
                sum += ((IntSupplier) c.getDeclaredConstructor().newInstance()).getAsInt();
            }
        }
        return sum;
    }

    static int hidden(int count) throws Exception {
        byte[] bytes = Dropped.bytes("Victim");
        int sum = 0;
        for (int i = 0; i < count; i++) {
            Class<?> c = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
            sum += ((IntSupplier) c.getDeclaredConstructor().newInstance()).getAsInt();
        }
        return sum;
    }

    static int lambdas(int count) throws Exception {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            Class<?> c = Class.forName("Victim", true, new Dropped("Victim", "Victim$Face"));
            sum += ((IntSupplier) c.getMethod("lambda").invoke(null)).getAsInt();
            Object proxy = Proxy.newProxyInstance(c.getClassLoader(), new Class<?>[] {IntSupplier.class,
                Class.forName("Victim$Face", true, c.getClassLoader())}, (p, m, a) -> 5);
            sum += ((IntSupplier) proxy).getAsInt();
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("loaders " + loaders(200));
        System.out.println("hidden " + hidden(5000));
        System.out.println("lambdas " + lambdas(500));
    }
}
