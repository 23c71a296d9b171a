// SPDX-License-Identifier: Apache-2.0
// Events on one instruction in their order, with the stack that each sees.
// @agent ti_order
// @javac -g
// @quick
public class Order {
    static native void begin();

    static native void end();

    static native void quiet();

    static native void loud();

    static int field = 1;

    static int read() {
        return field;
    }

    static void write(int v) {
        field = v;
    }

    static void thrower(int depth) {
        if (depth == 0)
            throw new IllegalStateException("deep");
        thrower(depth - 1);
    }

    static int catcher() {
        try {
            thrower(1);
            return 0;
        } catch (IllegalStateException e) {
            return 1;
        }
    }

    static int nativeCatcher() {
        quiet();
        try {
            loud();
            return 0;
        } catch (IllegalStateException e) {
            return 1;
        } finally {
            field = 9;
        }
    }

    static synchronized int locked() {
        return 5;
    }

    public static void main(String[] args) {
        new IllegalStateException("loads its classes");
        begin();
        int sum = read();
        write(2);
        sum += read();
        sum += catcher();
        sum += nativeCatcher();
        sum += locked();
        end();
        System.out.println(sum);
    }
}
