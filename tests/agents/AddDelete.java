// SPDX-License-Identifier: Apache-2.0
// What the tests with tests/native/ti_add_delete.c share: its natives.
import java.lang.reflect.Field;
import java.lang.reflect.Method;

public class AddDelete {
    static native int redefine(Class<?> c, byte[] file);

    static native void keep(int i, Method method);

    static native Object call(int i, Class<?> c);

    static native Object reflected(int i, Class<?> c);

    static native boolean found(int i, Class<?> c, String name, String descriptor);

    static native void facts(int i);

    static native void methods(Class<?> c);

    static native void events(String of);

    static native int breakpoint(int i, int at, boolean set);

    static native void tellBinds(boolean on);

    static native void watch(Field field);

    static int become(Class<?> c, String from) {
        return redefine(c, Redefiner.as(c, from));
    }
}
