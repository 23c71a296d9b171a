// SPDX-License-Identifier: Apache-2.0
// Exceptions around callbacks: one that the callback of ExceptionCatch leaves is thrown where the handler begins; one that has been reported
// is not reported again because a callback of MethodExit or FramePop has run Java code that caught another.
// @agent ti_catch_throws
// @quick
public class CatchThrows {
    static native void begin(Class<?> thrown, int event);
    static native void notifyPop();
    static native void end(int event);

    static final int FRAME_POP = 61, METHOD_EXIT = 66;

    static void catches() {
        try {
            throw new UnsupportedOperationException();
        } catch (UnsupportedOperationException e) {
            return;
        }
    }

    static String handle(Exception thrown) {
        try {
            try {
                throw thrown;
            } catch (IllegalStateException e) {
                return "the old one's handler: " + e;
            }
        } catch (Exception e) {
            return "the handler around it: " + e.getMessage();
        }
    }

    static void left(boolean notify) {
        if (notify)
            notifyPop();
        throw new IllegalStateException("left");
    }

    static String outer(boolean notify) {
        try {
            left(notify);
            return "nothing";
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }

    static void attempt(String what, Class<?> thrown, int event, java.util.function.Supplier<String> step) {
        System.out.println(what);
        System.out.flush();
        begin(thrown, event);
        String result = step.get();
        end(event);
        System.out.println("  " + result);
        System.out.flush();
    }

    public static void main(String[] args) {
        catches();
        attempt("nothing is thrown", null, 0, () -> handle(new IllegalStateException("first")));
        attempt("another class is thrown", java.io.IOException.class, 0, () -> handle(new IllegalStateException("first")));
        attempt("Java code in MethodExit", null, METHOD_EXIT, () -> outer(false));
        attempt("Java code in FramePop", null, FRAME_POP, () -> outer(true));
    }
}
