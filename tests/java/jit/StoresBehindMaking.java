// SPDX-License-Identifier: Apache-2.0
// What has been made and meets a collection before its first store: compiled code leaves out the barrier of stores into what it has just
// made, also where it had to wait within the allocation, and finds the object in the old generation.
// @quick
// @flags -Xmx48m
public class StoresBehindMaking {
    static final int LENGTH = 500_000, ROUNDS = 3000, KEPT = 4;

    static class Value {
        final int number, check;
        Value(int number) {
            this.number = number;
            check = ~number;
        }
    }

    static volatile Value shared = new Value(0);
    static volatile boolean done;
    static Object garbage;

    static Object[] make(int n) {
        Object[] a = new Object[n];
        a[0] = shared;
        return a;
    }

    static void replace() {
        for (int i = 0; !done; i++) {
            shared = new Value(i);
            garbage = new byte[1000];
        }
    }

    static boolean isRight(Object o) {
        return o instanceof Value && ((Value) o).check == ~((Value) o).number;
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 20_000; i++)
            make(1);
        Thread replacing = new Thread(StoresBehindMaking::replace);
        replacing.start();
        Object[][] kept = new Object[KEPT][];
        int wrong = 0;
        for (int i = 0; i < ROUNDS; i++) {
            kept[i % KEPT] = make(LENGTH);
            for (Object[] a : kept)
                if (a != null && !isRight(a[0]))
                    wrong++;
        }
        done = true;
        replacing.join();
        System.out.println("wrong: " + wrong);
    }
}
