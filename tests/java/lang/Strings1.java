// SPDX-License-Identifier: Apache-2.0
// String concatenation of every type through invokedynamic, text blocks, interning, compact and wide strings.
// @quick
public class Strings1 {
    static final String K = "con" + "stant" + 1 + 2L + 'c' + true + 1.5f + 2.5;

    public static void main(String[] args) {
        boolean z = true;
        byte b = -1;
        char c = '\u00e9';
        char w = '\u4e2d';
        short s = -2;
        int i = 42;
        long l = 1L << 40;
        float f = 1.1f;
        double d = 1e-7;
        Object n = null;
        String str = "str";
        int[] arr = null;
        System.out.println(K);
        System.out.println("" + z + b + (int) c + s + i + l + f + d + n + str + arr);
        System.out.println(i + l + "x" + i + l + 'y' + (char) ('a' + 1) + null);
        String m = "lat\u00e9" + c;
        String u = m + w;
        for (int k = 0; k < m.length(); k++) {
            System.out.print(Integer.toHexString(m.charAt(k)) + " ");
        }
        System.out.println(m.length() + " " + u.length() + " " + Integer.toHexString(u.charAt(u.length() - 1)) + " " + u.hashCode());
        String sb = str;
        sb += 1;
        sb += 'c';
        sb += 2.0;
        sb += null;
        System.out.println(sb);
        System.out.println("\1\2tags " + i + " \1 " + str);
        String big = "" + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i
            + i + i + l + l + l + d + d + str + str + z + z + b + s + c + "end";
        System.out.println(big.length() + " " + big.hashCode());
        String tb = """
            Hello,
              "text" block \
            joined\s
            tab\there
            """;
        System.out.print(tb);
        System.out.println(("a" + "b" == "ab") + " " + (str.intern() == "str") + " " + (new String("str") == str) + " "
            + (new String("str").intern() == str));
        System.out.println("%d %5.2f|%-6s|%06d|%x|%c|%b|%e".formatted(i, d * 1e7, str, 77, 255, 'q', true, 12345.678));
        System.out.println("a,b,,c,,".split(",").length + " " + "AbC".toLowerCase() + " " + "abc".repeat(2) + " " + " x ".strip()
            + "|" + "abcabc".indexOf("ca") + " " + "abc".compareTo("abd") + " " + "aXbX".replace('X', '-') + " "
            + String.join("/", "p", "q") + " " + "q".isBlank() + " " + "l1\nl2".lines().count() + " " + "\ud83d\ude00".codePointAt(0)
            + " " + new StringBuilder("abc\ud83d\ude00").reverse().codePointAt(0));
        try {
            "abc".substring(2, 1);
        } catch (StringIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        try {
            "abc".charAt(3);
        } catch (StringIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        Object o = new Object() {
            public String toString() {
                return null;
            }
        };
        System.out.println("null to string: " + o);
        try {
            System.out.println("t" + new Object() {
                public String toString() {
                    throw new IllegalStateException("in toString");
                }
            });
        } catch (IllegalStateException e) {
            System.out.println(e);
        }
    }
}
