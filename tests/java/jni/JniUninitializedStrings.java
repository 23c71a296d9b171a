// SPDX-License-Identifier: Apache-2.0
// JNI string functions on a String that no constructor has run on: its value is still null.
// @native jnistrings
// @quick
public class JniUninitializedStrings {
    static native String allocated();
    static native int length(String s);
    static native int utfLength(String s);
    static native String chars(String s, boolean critical);
    static native String utfChars(String s);
    static native int region(String s, int from, int len);
    static native int utfRegion(String s, int from, int len);

    interface Call {
        Object run();
    }

    static void show(String what, Call c) {
        Object result;
        try {
            result = c.run();
        } catch (RuntimeException e) {
            result = e;
        }
        System.out.println(what + ": " + result);
    }

    public static void main(String[] args) {
        System.loadLibrary("jnistrings");
        String s = allocated();
        show("GetStringLength", () -> length(s));
        show("GetStringUTFLength", () -> utfLength(s));
        show("GetStringChars", () -> chars(s, false));
        show("GetStringCritical", () -> chars(s, true));
        show("GetStringUTFChars", () -> utfChars(s));
        show("GetStringRegion 0 0", () -> region(s, 0, 0));
        show("GetStringRegion 0 1", () -> region(s, 0, 1));
        show("GetStringRegion 1 0", () -> region(s, 1, 0));
        show("GetStringUTFRegion 0 0", () -> utfRegion(s, 0, 0));
        show("GetStringUTFRegion 0 1", () -> utfRegion(s, 0, 1));
    }
}
