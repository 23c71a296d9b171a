// SPDX-License-Identifier: Apache-2.0
// try, catch, finally in every nesting; suppressed; causes; rethrow; exceptions from clinit and constructors.
// @quick
import java.io.*;

public class Exceptions {
    static StringBuilder log = new StringBuilder();

    static class Res implements AutoCloseable {
        final String n;
        Res(String n) {
            this.n = n;
            log.append("open ").append(n).append(' ');
        }
        public void close() throws IOException {
            log.append("close ").append(n).append(' ');
            throw new IOException("close " + n);
        }
    }

    static class My extends RuntimeException {
        final int code;
        My(int code) {
            super("code " + code, null, true, code % 2 == 0);
            this.code = code;
        }
    }

    @SuppressWarnings("finally")
    static int swallow(int i) {
        try {
            if (i == 0) {
                throw new RuntimeException("lost");
            }
            return i;
        } finally {
            if (i < 2) {
                return 100 + i;
            }
            log.append("fin").append(i).append(' ');
        }
    }

    static int nested(int k) {
        int r = 0;
        for (int i = 0; i < 5; i++) {
            try {
                try {
                    if (i == k) {
                        throw new My(i);
                    }
                    if (i == k + 1) {
                        continue;
                    }
                    if (i == k + 3) {
                        break;
                    }
                    r += 1;
                } catch (My e) {
                    r += 10;
                    if (k == 2) {
                        throw new IllegalStateException(e);
                    }
                } finally {
                    r += 100;
                }
                r += 1000;
            } catch (IllegalStateException | IllegalArgumentException e) {
                r += 10000;
                log.append(e.getCause().getMessage()).append(' ');
            } finally {
                r += 100000;
            }
        }
        return r;
    }

    static class Bad {
        static int v = Integer.parseInt("zz");
    }

    static <T extends Throwable> void sneaky(Throwable t) throws T {
        @SuppressWarnings("unchecked") T x = (T) t;
        throw x;
    }

    static void deep(int n) {
        if (n == 0) {
            throw new My(42);
        }
        try {
            deep(n - 1);
        } finally {
            log.append(n);
        }
    }

    public static void main(String[] args) {
        System.out.println(swallow(0) + " " + swallow(1) + " " + swallow(2));
        for (int k = -1; k < 5; k++) {
            System.out.print(nested(k) + " ");
        }
        System.out.println(log);
        log.setLength(0);
        try (Res a = new Res("a"); Res b = new Res("b")) {
            log.append("body ");
            throw new IllegalStateException("body");
        } catch (Exception e) {
            System.out.println(log + "" + e + " " + java.util.Arrays.toString(e.getSuppressed()));
        }
        log.setLength(0);
        try {
            deep(9);
        } catch (My e) {
            System.out.println(log + " " + e.code + " " + (e.getStackTrace().length > 9));
        }
        System.out.println(new My(3).getStackTrace().length);
        for (int i = 0; i < 2; i++) {
            try {
                System.out.println(Bad.v);
            } catch (ExceptionInInitializerError e) {
                System.out.println(e + " / " + e.getCause() + " " + e.getException().getClass());
            } catch (NoClassDefFoundError e) {
                System.out.println(e + " / " + e.getCause());
            }
        }
        try {
            Exceptions.<RuntimeException>sneaky(new IOException("sneaky"));
        } catch (Exception e) {
            System.out.println(e);
        }
        try {
            throw null;
        } catch (NullPointerException e) {
            System.out.println("throw null NPE");
        }
        try {
            Exception e = new Exception("a", new Exception("b", new Error("c")));
            e.addSuppressed(new RuntimeException("s"));
            throw e;
        } catch (Exception e) {
            StringWriter w = new StringWriter();
            e.printStackTrace(new PrintWriter(w));
            for (String line : w.toString().split("\\R")) {
                if (line.contains("Exceptions.") || !line.contains("at ")) {
                    System.out.println(line);
                }
            }
        }
        try {
            e1();
        } catch (Throwable t) {
            System.out.println(t + " " + t.getCause() + " " + t.fillInStackTrace().getStackTrace()[0].getMethodName());
        }
        Throwable t = new Throwable();
        try {
            t.initCause(t);
        } catch (IllegalArgumentException e) {
            System.out.println(e);
        }
        try {
            new Throwable("x", null).initCause(new Error());
        } catch (IllegalStateException e) {
            System.out.println(e);
        }
    }

    static void e1() throws Exception {
        try {
            throw new Exception("inner");
        } catch (final Exception e) {
            Exception x = new Exception("outer");
            x.initCause(e);
            throw x;
        }
    }
}
