// SPDX-License-Identifier: Apache-2.0
// JNI strings: modified UTF-8 with NUL and supplementary characters, UTF-16, regions, malformed input, errors.
// @native jnistrings
// @quick
import java.util.*;

public class JniStrings {
    static native byte[] utf(String s);
    static native String fromUtf(byte[] b);
    static native String twice(String s);
    static native String region(String s, int from, int len);
    static native String utfRegion(String s, int from, int len);
    static native String nulls();
    static native String ofLength(int length);
    static native boolean regionNowhere(String s, int from);
    static native String empty();

    static String hex(String s) {
        StringBuilder sb = new StringBuilder();
        for (char c : s.toCharArray()) {
            sb.append(Integer.toHexString(c)).append(' ');
        }
        return sb.toString();
    }

    public static void main(String[] args) {
        System.loadLibrary("jnistrings");
        String[] ss = {"", "ascii", "lat\u00e9\u00ff", "nul\0mid", "\u4e2d\u6587 mixed", "\ud83d\ude00 sup", "\ud83d lone", "\uffff\u0080\u07ff\u0800"};
        for (String s : ss) {
            byte[] u = utf(s);
            String back = fromUtf(Arrays.copyOf(u, u.length - 1));
            System.out.println(hex(s) + "| " + HexFormat.of().formatHex(u) + " " + back.equals(s) + " " + hex(twice(s)) + " " + twice(s).equals(s + new StringBuilder(hex(s).isEmpty() ? "" : rev(s))));
        }
        System.out.println(hex(fromUtf(new byte[] {'a', (byte) 0xc3, (byte) 0xa9})));
        int[][] rs = {{0, 3}, {3, 2}, {5, 0}, {5, 1}, {-1, 2}, {2, -1}, {0, 6}, {6, 0}};
        for (int[] r : rs) {
            for (int k = 0; k < 2; k++) {
                try {
                    String x = k == 0 ? region("h\u00e9l\0o", r[0], r[1]) : utfRegion("h\u00e9l\0o", r[0], r[1]);
                    System.out.println(r[0] + "," + r[1] + " " + hex(x));
                } catch (StringIndexOutOfBoundsException e) {
                    System.out.println(r[0] + "," + r[1] + " " + e.getMessage());
                }
            }
        }
        for (int length : new int[] {2, 0, -1, Integer.MIN_VALUE}) {
            try {
                System.out.println(ofLength(length));
            } catch (NegativeArraySizeException e) {
                System.out.println(e.getMessage());
            }
        }
        System.out.println(regionNowhere("", 0) + " " + regionNowhere("text", 4));
        System.out.println(nulls() + " " + empty().length() + " " + (empty() == ""));
        System.out.println(twice("x").intern() == "xx");
    }

    static String rev(String s) {
        char[] c = s.toCharArray();
        char[] d = new char[c.length];
        for (int i = 0; i < c.length; i++) {
            d[i] = c[c.length - 1 - i];
        }
        return new String(d);
    }
}
