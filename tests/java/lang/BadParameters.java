// SPDX-License-Identifier: Apache-2.0
// @javac -parameters
// @quick
// A wrong MethodParameters attribute does not keep a class from being loaded; who asks for the parameters gets a
// MalformedParametersException: a name that is no Utf8 constant or none at all, a modifier or a count that cannot be.
import java.io.InputStream;
import java.lang.reflect.MalformedParametersException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

public class BadParameters {
    public static class Given {
        public static void called(int first, final String second) {
        }
    }

    static class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    static int find(byte[] in, byte[] what, int from) {
        for (int i = from; i <= in.length - what.length; i++)
            if (Arrays.equals(in, i, i + what.length, what, 0, what.length))
                return i;
        return -1;
    }

    static int name(byte[] bytes, String text) { // index of a constant, by walking over the pool
        int at = 10;
        for (int i = 1;; i++) {
            int tag = bytes[at], length = (bytes[at + 1] & 0xFF) << 8 | bytes[at + 2] & 0xFF;
            if (tag == 1 && new String(bytes, at + 3, length, StandardCharsets.UTF_8).equals(text))
                return i;
            at += tag == 1 ? 3 + length : tag == 7 || tag == 8 || tag == 16 ? 3 : 5;
        }
    }

    // `offset` into the attribute: 0 count, 1 name and 3 access of the first parameter, 5 and 7 of the second
    static void attempt(String what, int offset, int value) throws Exception {
        byte[] bytes;
        try (InputStream in = BadParameters.class.getResourceAsStream("BadParameters$Given.class")) {
            bytes = in.readAllBytes();
        }
        int index = name(bytes, "MethodParameters");
        int at = find(bytes, new byte[] {(byte) (index >> 8), (byte) index, 0, 0, 0, 9, 2}, 0) + 6;
        if (offset == 0) {
            bytes[at] = (byte) value;
        } else {
            bytes[at + offset] = (byte) (value >> 8);
            bytes[at + offset + 1] = (byte) value;
        }
        try {
            Method m = new Loader().define(bytes).getMethods()[0];
            for (int i = 0; i < 2; i++) {
                try {
                    System.out.println(what + ": " + Arrays.toString(m.getParameters()) + " " + m.getParameters()[0].isNamePresent());
                } catch (MalformedParametersException e) {
                    System.out.println(what + ": " + e);
                }
            }
        } catch (ClassFormatError e) {
            System.out.println(what + ": " + e.getMessage().replaceAll("BadParameters\\S*", "?"));
        }
    }

    public static void main(String[] args) throws Exception {
        attempt("as it is", 1, 0);
        attempt("no names", 5, 0);
        attempt("class as a name", 1, 1 + 1);
        attempt("name of an attribute", 1, 3);
        attempt("out of the pool", 1, 1000);
        attempt("65535", 5, 65535);
        attempt("modifiers", 3, 0x10 | 1);
        attempt("synthetic", 7, 0x1000);
        attempt("count", 0, 1);
        attempt("count", 0, 0);
    }
}
