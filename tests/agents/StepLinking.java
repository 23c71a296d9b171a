// SPDX-License-Identifier: Apache-2.0
// SingleStep tells nothing of the code that runs to link an instruction (the class loader's, a bootstrap method, the initializer
// of a class for `getstatic`, `putstatic` and `invokestatic`), but of what the instruction itself runs: methods, handlers, the
// initializer of a class for `new`. Code in an initializer that asks for steps itself, none being told when it was called, is told of them.
// @quick
// @agent ti_step_linking
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.IntConsumer;

public class StepLinking {
    static native void step(boolean on);

    static class Loader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("StepLinking$T"))
                return super.loadClass(name, resolve);
            Class<?> known = findLoadedClass(name);
            return known != null ? known : define(name);
        }

        int told;

        void tell(int n) {
            told = n;
        }

        Class<?> define(String name) throws ClassNotFoundException {
            if (name.endsWith("TStopped")) {
                step(true); // as a debugger does at a breakpoint
                tell(3);
                step(false);
            }
            try (InputStream in = StepLinking.class.getResourceAsStream(name + ".class")) {
                byte[] b = in.readAllBytes();
                return defineClass(name, b, 0, b.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static class TNew {
        static final int[] LENGTHS = {1, 2};

        TNew() {
            field = 3;
        }

        int field;
    }

    static class TStatic {
        static int number = told();

        static int told() {
            return 7;
        }
    }

    static class TPut {
        static int number = TStatic.told();
    }

    static class TBegins {
        static int number = begin();

        static int begin() {
            step(true);
            int n = TStatic.told();
            step(false);
            return n;
        }
    }

    static class TCall {
        static int number = TStatic.told();

        static void call() {
            number++;
        }
    }

    static class TInstance {
    }

    static class TLdc {
    }

    static class TArray {
    }

    static class TMulti {
    }

    static class TException extends RuntimeException {
    }

    static class TStopped {
    }

    static class TInherited extends TCall {
    }

    public static class TCode implements IntConsumer {
        static final MethodHandle HANDLE;

        static {
            try {
                HANDLE = MethodHandles.lookup().findStatic(TCode.class, "target", MethodType.methodType(void.class, int.class));
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }

        static void target(int n) {
        }

        Object o = this;
        int n = 3;

        public TCode() {
        }

        @Override
        public void accept(int kind) {
            try {
                switch (kind) {
                    case 0 -> o = new TNew();
                    case 1 -> n = TStatic.number;
                    case 2 -> TCall.call();
                    case 3 -> n = o instanceof TInstance ? 1 : 0;
                    case 4 -> o = TLdc.class;
                    case 5 -> o = new TArray[1];
                    case 6 -> o = new TMulti[1][1];
                    case 7 -> TInherited.call();
                    case 8 -> {
                        Runnable r = () -> target(n);
                        r.run();
                    }
                    case 9 -> o = "text " + n;
                    case 10 -> HANDLE.invokeExact(5);
                    case 11 -> fail();
                    case 12 -> o = new TStopped();
                    case 13 -> TPut.number = 3;
                    case 14 -> {
                        step(false);
                        n = TBegins.number;
                    }
                }
            } catch (Throwable t) {
                o = t;
            }
        }

        void fail() {
            try {
                throw new IllegalStateException();
            } catch (TException e) {
                n = 5;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        IntConsumer code = (IntConsumer) new Loader().loadClass("StepLinking$TCode").getDeclaredConstructor().newInstance();
        for (int kind = 0; kind < 15; kind++)
            for (int time = 0; time < 2; time++) {
                System.out.println("kind " + kind + ", time " + time);
                System.out.flush();
                step(true);
                code.accept(kind);
                step(false);
            }
    }
}
