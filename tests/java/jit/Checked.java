// SPDX-License-Identifier: Apache-2.0
// Calls whose receivers are checked (methods of Object by an interface, private ones of interfaces, super ones in interfaces) and arrays
// of arrays, compiled; what is printed is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitCompile -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.05 -Xmx64m
// @modes asan stress
// @timeout 180
import java.util.Arrays;

public class Checked {
    interface Named {
        String name();
        default int length() { return name().length(); }
        private int twice(int k) { return k * length(); }
        default int both(int k) { return twice(k) + 1; }
    }
    interface Loud extends Named {
        @Override default int length() { return Named.super.length() + 100; }
    }
    static class Cat implements Named {
        final String name;
        Cat(String name) { this.name = name; }
        public String name() { return name; }
        @Override public int hashCode() { return name.length(); }
        @Override public boolean equals(Object o) { return o instanceof Cat && ((Cat) o).name.equals(name); }
    }
    static class Lion extends Cat implements Loud {
        Lion(String name) { super(name); }
        @Override public String toString() { return "lion " + name; }
    }

    static String ofObject(Named n, Object o) {
        return n.hashCode() + " " + n.equals(o) + " " + (n instanceof Loud ? n.toString() : n.getClass().getName());
    }

    static int sum(int a, int b, int c, int turn) {
        int[][] two = new int[a][b];
        long[][][] three = new long[a][b][c];
        String[][][] open = new String[a][b][];
        byte[][][][][] five = new byte[1][a][b][1][c];
        two[a - 1][b - 1] = turn;
        three[0][b - 1][c - 1] = turn * 3L;
        open[a - 1][0] = new String[turn & 3];
        five[0][a - 1][0][0][c - 1] = (byte) turn;
        return two[a - 1][b - 1] + (int) three[0][b - 1][c - 1] + open[a - 1][0].length + five[0][a - 1][0][0][c - 1] + two.length + two[0].length
            + (open[0][0] == null ? 1 : 50) + three[0][0].length;
    }

    static String failing(int a, int b) {
        try {
            return "" + new int[a][b].length;
        } catch (NegativeArraySizeException e) {
            return e.getMessage() + " in " + e.getStackTrace()[0].getMethodName();
        } catch (OutOfMemoryError e) {
            return e.getMessage();
        }
    }

    static String thrown(Named n) {
        try {
            return n.toString();
        } catch (NullPointerException e) {
            return "null";
        }
    }

    public static void main(String[] args) {
        Named[] all = {new Cat("tom"), new Lion("leo"), new Lion("simba"), new Cat("leo")};
        long hash = 0;
        for (int i = 0; i < 3000; i++) {
            Named n = all[i & 3];
            hash = hash * 31 + ofObject(n, all[i % 3]).hashCode() + n.both(i) + n.length();
            hash = hash * 31 + sum(i % 3 + 1, i % 5 + 1, i % 7 + 1, i);
            hash = hash * 31 + failing(i % 4, i % 9 - (i > 2900 ? 3 : 0)).length();
            if (i > 2990)
                hash += thrown(i == 2995 ? null : n).indexOf("null");
        }
        System.out.println(hash);
        System.out.println(failing(3, -4) + ", " + failing(-5, 2) + ", " + failing(1 << 28, 1 << 28) + ", " + failing(0, 7));
        System.out.println(Arrays.deepToString(new int[2][3]) + " " + new String[1][2][].getClass().getName());
        System.out.println(ofObject(all[2], all[2]) + ", " + all[2].both(3) + ", " + all[3].both(3));
    }
}
