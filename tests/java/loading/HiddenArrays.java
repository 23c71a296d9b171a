// SPDX-License-Identifier: Apache-2.0
// The array class of a hidden class, asked for by two threads at once: one of those that are made is not used, and given up, while the
// hidden class goes on.
// @modes stress
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;

public class HiddenArrays {
    static final int ROUNDS = Integer.getInteger("rounds", 1500);
    static volatile Class<?> element;
    static volatile int round;
    static volatile Class<?> made;

    static class Hidden {
        int value = 7;
    }

    static Class<?> arrayOf(Class<?> c) {
        return Array.newInstance(c, 0).getClass();
    }

    static void other() {
        for (int i = 1; i <= ROUNDS; i++) {
            while (round != i)
                Thread.onSpinWait();
            made = arrayOf(element);
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] file;
        try (InputStream in = HiddenArrays.class.getResourceAsStream("HiddenArrays$Hidden.class")) {
            file = in.readAllBytes();
        }
        Thread t = new Thread(HiddenArrays::other);
        t.start();
        int same = 0;
        for (int i = 1; i <= ROUNDS; i++) {
            element = MethodHandles.lookup().defineHiddenClass(file, false).lookupClass();
            made = null;
            round = i;
            Class<?> array = arrayOf(element);
            while (made == null)
                Thread.onSpinWait();
            if (made == array && array.getComponentType() == element)
                same++;
            if (i % 500 == 0)
                System.gc();
        }
        t.join();
        System.out.println("same: " + (same == ROUNDS));
    }
}
