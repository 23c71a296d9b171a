// SPDX-License-Identifier: Apache-2.0
// What a class loader is asked for when call sites, method handles and dynamic constants link, and what becomes of an exception
// that it throws then, at first and when the failure is met again.
// @quick
// @mask @[0-9a-f]+
import java.util.Set;
import java.util.TreeSet;

public class RefusingLoader {
    public static class Arg {
    }
    public static class Refused extends IllegalStateException {
        Refused(String text) {
            super(text);
        }
        @Override
        public String toString() {
            return "refused " + getMessage();
        }
    }

    static class Counting extends ClassLoader {
        final Set<String> asked = new TreeSet<>();
        final String refused;
        Counting(String refused) {
            super(RefusingLoader.class.getClassLoader());
            this.refused = refused;
        }
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            asked.add(name);
            if (name.equals(refused)) {
                throw new Refused(name);
            }
            return super.loadClass(name, resolve);
        }
        Class<?> define(Asm a) {
            byte[] file = a.bytes();
            return defineClass(null, file, 0, file.length);
        }
    }

    public static Object bsm(java.lang.invoke.MethodHandles.Lookup l, String name, Class<?> type, Object... args) {
        return "bootstrapped";
    }
    static final String BSM = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;[Ljava/lang/Object;)Ljava/lang/Object;";
    public static java.lang.invoke.CallSite site(java.lang.invoke.MethodHandles.Lookup l, String name, java.lang.invoke.MethodType type) {
        return new java.lang.invoke.ConstantCallSite(java.lang.invoke.MethodHandles.empty(type));
    }

    interface Body {
        void make(Asm a, Asm.Code c);
    }

    static int n;
    static void once(String what, String refused, Body body) {
        Asm a = Asm.simple(55, "T" + n++);
        body.make(a, a.method(9, "m", "()Ljava/lang/Object;"));
        Counting l = new Counting(refused);
        Class<?> c = l.define(a);
        for (int i = 0; i < 2; i++) {
            try {
                System.out.println(what + ": " + c.getDeclaredMethod("m").invoke(null));
            } catch (java.lang.reflect.InvocationTargetException e) {
                StringBuilder text = new StringBuilder(what + ":");
                for (Throwable t = e.getCause(); t != null; t = t.getCause()) {
                    text.append(" / ").append(t.getClass().getName()).append(' ').append(t.getMessage());
                }
                System.out.println(text);
            } catch (ReflectiveOperationException e) {
                System.out.println(what + " " + e);
            }
        }
        System.out.println("    asked " + l.asked);
    }

    static void condy(String what, String refused, String type, java.util.function.ToIntFunction<Asm> arg) {
        once("condy " + what, refused, (a, c) -> {
            int handle = a.handle(6, a.mref("RefusingLoader", "bsm", BSM));
            c.op2(0x13, arg == null ? a.dynamic(false, "n", type, handle) : a.dynamic(false, "n", type, handle, arg.applyAsInt(a))).op(0xb0);
        });
    }

    static void indy(String what, String refused, String desc) {
        once("indy " + what, refused, (a, c) -> {
            int handle = a.handle(6, a.mref("RefusingLoader", "site",
                "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;"));
            c.op(1).op2(0xba, a.dynamic(true, "n", desc, handle)).op(0, 0, 0xb0);
        });
    }

    static void invoke(String params) {
        int count = params.replaceAll("\\[*(L[^;]*;|[A-Z])", "x").length();
        once("invokeExact " + params, "", (a, c) -> {
            for (int i = 0; i <= count; i++) {
                c.op(1);
            }
            c.op2(0xb6, a.mref("java/lang/invoke/MethodHandle", "invokeExact", "(" + params + ")Ljava/lang/Object;")).op(0xb0);
        });
    }

    public static void main(String[] args) {
        String arg = "RefusingLoader$Arg";
        condy("of String", "", "Ljava/lang/String;", null);
        condy("without its bootstrap class", "RefusingLoader", "Ljava/lang/String;", null);
        condy("without its type", arg, "L" + arg + ";", null);
        condy("without an argument", arg, "Ljava/lang/Object;", a -> a.cls(arg));
        condy("without a type of an argument", arg, "Ljava/lang/Object;", a -> a.mtype("(L" + arg + ";)V"));
        condy("with String in the type of an argument", "java.lang.String", "Ljava/lang/Object;", a -> a.mtype("(Ljava/lang/String;)V"));
        condy("without the class of a handle", arg, "Ljava/lang/Object;", a -> a.handle(6, a.mref(arg, "x", "()V")));
        condy("with a handle of a field", "", "Ljava/lang/Object;", a -> a.handle(2, a.fref("java/io/File", "separator", "Ljava/lang/String;")));
        condy("without the type of a field", "java.io.PrintStream", "Ljava/lang/Object;",
            a -> a.handle(2, a.fref("java/lang/System", "out", "Ljava/io/PrintStream;")));
        condy("of a wrong type", "", "L" + arg + ";", null);
        indy("of classes of java.lang", "java.lang.Thread", "(Ljava/lang/Thread;)Ljava/lang/Object;");
        indy("of others", "", "(Ljava/util/List;)Ljava/lang/String;");
        indy("without its type", arg, "(L" + arg + ";)Ljava/lang/String;");
        indy("without its bootstrap class", "RefusingLoader", "(Ljava/lang/Object;)Ljava/lang/String;");
        for (String type : new String[] {"java/lang/Thread", "java/lang/Thread$State", "java/lang/invoke/CallSite", "java/lang/reflect/Method",
                 "java/lang/ref/Reference", "java/lang/AbstractStringBuilder", "java/util/List", "java/io/File", "java/sql/Blob", "java/lang/NotThere"}) {
            invoke("L" + type + ";");
            invoke("[L" + type + ";Ljava/lang/Number;");
            invoke("[I[[Ljava/lang/Number;L" + type + ";Ljava/lang/Number;");
        }
        invoke("Ljava/lang/Number;L" + arg + ";Ljava/lang/Integer;");
        invoke("L" + arg + ";Ljava/lang/Number;[Ljava/lang/Integer;");
    }
}
