// SPDX-License-Identifier: Apache-2.0
// Method and variable handles that are null: the exception comes from the caller, at the first call and at later ones.
// @quick
import java.lang.invoke.*;

public class NullHandle {
    static MethodHandle method;
    static VarHandle variable;

    interface Step {
        void run() throws Throwable;
    }

    static void attempt(Step step) {
        for (int i = 0; i < 2; i++) {
            try {
                step.run();
                System.out.println("fine");
            } catch (Throwable t) {
                System.out.println(t.getMessage());
                for (StackTraceElement e : t.getStackTrace()) {
                    System.out.println("    " + e);
                }
            }
        }
    }

    static void all() {
        attempt(() -> method.invokeExact(1));
        attempt(() -> { Object o = method.invoke(1L, "x"); });
        attempt(() -> { int n = (int) method.invokeExact((String) null); });
        attempt(() -> { int n = (int) method.invoke("text"); });
        attempt(() -> variable.set(1));
        attempt(() -> { Object o = variable.getAndSet(2.5, "x", 3); });
        attempt(() -> { VarHandle v = null; int n = (int) v.getVolatile(); });
    }

    public static void main(String[] args) throws Exception {
        all();
        method = MethodHandles.lookup().findVirtual(String.class, "length", MethodType.methodType(int.class));
        attempt(() -> { int n = (int) method.invokeExact((String) null); });
        attempt(() -> { int n = (int) method.invoke("text"); });
    }
}
