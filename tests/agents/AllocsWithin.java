// SPDX-License-Identifier: Apache-2.0
// What a handler of VMObjectAlloc itself allocates, by JNI and by Java code, is posted to no environment, neither within nor
// afterwards; the next allocation of the program is.
// @agent ti_allocs_within
// @quick
import java.lang.reflect.Array;

public class AllocsWithin implements Cloneable {
    interface Action {
        Object run() throws Exception;
    }

    static Action action;
    static Object kept;

    static native void watch(boolean on, boolean byJni);

    // Called by the handler.
    static void within() throws Exception {
        kept = action.run();
    }

    static void told(String what, Action inner, boolean byJni) throws Exception {
        System.out.println(what);
        action = inner;
        AllocsWithin first = new AllocsWithin(), second = new AllocsWithin();
        inner.run(); // what it loads is there
        watch(true, byJni);
        try {
            first.clone();
            second.clone();
        } finally {
            watch(false, false);
        }
    }

    public static void main(String[] args) throws Exception {
        AllocsWithin other = new AllocsWithin();
        told("by JNI", other::clone, true);
        told("a clone", other::clone, false);
        told("arrays", () -> Array.newInstance(AllocsWithin.class, 2, 3), false);
        told("fields", AllocsWithin.class::getDeclaredFields, false);
        told("interfaces", AllocsWithin.class::getInterfaces, false);
        told("a trace", () -> new Throwable().getStackTrace(), false);
    }
}
