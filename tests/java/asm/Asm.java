// SPDX-License-Identifier: Apache-2.0
// A tiny assembler for class files: constant pool, fields, methods whose code is given as bytes, bootstrap methods.
// It checks nothing, so that wrong classes can be made as well. Branching code is given to classes of version 49,
// which need no stack maps.
import java.io.*;
import java.lang.reflect.InvocationTargetException;
import java.util.*;

class Asm {
    static final int PUB = 1;
    static final int PRIV = 2;
    static final int STATIC = 8;
    static final int FINAL = 16;
    static final int SUPER = 32;
    static final int IFACE = 0x200;
    static final int ABSTRACT = 0x400;

    private final ByteArrayOutputStream pool = new ByteArrayOutputStream();
    private final Map<String, Integer> known = new HashMap<>();
    private int count = 1;
    private final List<byte[]> fields = new ArrayList<>();
    private final List<Code> methods = new ArrayList<>();
    private final List<byte[]> attributes = new ArrayList<>();
    private final List<int[]> bootstraps = new ArrayList<>();
    int major;
    int access;
    final String name;
    final int thisClass;
    int superClass;
    final int[] interfaces;

    Asm(int major, int access, String name, String sup, String... ifs) {
        this.major = major;
        this.access = access;
        this.name = name;
        thisClass = cls(name);
        superClass = sup == null ? 0 : cls(sup);
        interfaces = new int[ifs.length];
        for (int i = 0; i < ifs.length; i++) {
            interfaces[i] = cls(ifs[i]);
        }
    }

    /** A public class of Object with a constructor. */
    static Asm simple(int major, String name) {
        Asm a = new Asm(major, PUB | SUPER, name, "java/lang/Object");
        a.constructor("java/lang/Object");
        return a;
    }

    interface Writer {
        void to(DataOutputStream o) throws IOException;
    }

    static byte[] bytesOf(Writer w) {
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        try {
            w.to(new DataOutputStream(b));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return b.toByteArray();
    }

    int raw(String key, int slots, Writer w) {
        Integer old = known.get(key);
        if (old != null) {
            return old;
        }
        pool.writeBytes(bytesOf(w));
        int at = count;
        count += slots;
        known.put(key, at);
        return at;
    }

    private int two(int tag, int a, int b) {
        return raw(tag + ":" + a + ":" + b, 1, o -> {
            o.writeByte(tag);
            o.writeShort(a);
            o.writeShort(b);
        });
    }

    private int one(int tag, int a) {
        return raw(tag + ":" + a, 1, o -> {
            o.writeByte(tag);
            o.writeShort(a);
        });
    }

    int utf(String s) {
        return raw("u" + s, 1, o -> {
            o.writeByte(1);
            o.writeUTF(s);
        });
    }

    int cls(String s) {
        return one(7, utf(s));
    }

    int str(String s) {
        return one(8, utf(s));
    }

    int integer(int i) {
        return raw("i" + i, 1, o -> {
            o.writeByte(3);
            o.writeInt(i);
        });
    }

    int flt(float f) {
        return raw("f" + f, 1, o -> {
            o.writeByte(4);
            o.writeFloat(f);
        });
    }

    int lng(long l) {
        return raw("l" + l, 2, o -> {
            o.writeByte(5);
            o.writeLong(l);
        });
    }

    int dbl(double d) {
        return raw("d" + d, 2, o -> {
            o.writeByte(6);
            o.writeDouble(d);
        });
    }

    int nat(String n, String d) {
        return two(12, utf(n), utf(d));
    }

    int fref(String c, String n, String d) {
        return two(9, cls(c), nat(n, d));
    }

    int mref(String c, String n, String d) {
        return two(10, cls(c), nat(n, d));
    }

    int iref(String c, String n, String d) {
        return two(11, cls(c), nat(n, d));
    }

    int handle(int kind, int ref) {
        return raw("h" + kind + ":" + ref, 1, o -> {
            o.writeByte(15);
            o.writeByte(kind);
            o.writeShort(ref);
        });
    }

    int mtype(String d) {
        return one(16, utf(d));
    }

    /** Constant pool index of a dynamic constant (or call site) with a new bootstrap method entry. */
    int dynamic(boolean callSite, String n, String d, int handle, int... args) {
        int[] b = new int[args.length + 1];
        b[0] = handle;
        System.arraycopy(args, 0, b, 1, args.length);
        bootstraps.add(b);
        return two(callSite ? 18 : 17, bootstraps.size() - 1, nat(n, d));
    }

    /** A field with attributes that are two zero bytes each. */
    Asm field(int acc, String n, String d, String... attributes) {
        fields.add(member(acc, n, d, attributes));
        return this;
    }

    /** A field with one attribute. */
    Asm fieldWith(int acc, String n, String d, String attribute, Writer w) {
        int ni = utf(n), di = utf(d), ai = utf(attribute);
        byte[] body = bytesOf(w);
        fields.add(bytesOf(o -> {
            o.writeShort(acc);
            o.writeShort(ni);
            o.writeShort(di);
            o.writeShort(1);
            o.writeShort(ai);
            o.writeInt(body.length);
            o.write(body);
        }));
        return this;
    }

    private byte[] member(int acc, String n, String d, String... attributes) {
        int ni = utf(n);
        int di = utf(d);
        return bytesOf(o -> {
            o.writeShort(acc);
            o.writeShort(ni);
            o.writeShort(di);
            writeEmpty(o, attributes);
        });
    }

    /** A count of attributes and attributes that are two zero bytes each. */
    void writeEmpty(DataOutputStream o, String... attributes) throws IOException {
        o.writeShort(attributes.length);
        for (String a : attributes) {
            writeEmptyAttribute(o, a);
        }
    }

    private void writeEmptyAttribute(DataOutputStream o, String a) throws IOException {
        o.writeShort(utf(a));
        o.writeInt(2);
        o.writeShort(0);
    }

    Code method(int acc, String n, String d) {
        Code c = new Code(acc, utf(n), utf(d));
        methods.add(c);
        return c;
    }

    Asm constructor(String sup) {
        method(PUB, "<init>", "()V").size(1, 1).op(0x2a).op2(0xb7, mref(sup, "<init>", "()V")).op(0xb1);
        return this;
    }

    Asm attribute(String n, Writer w) {
        int ni = utf(n);
        byte[] body = bytesOf(w);
        attributes.add(bytesOf(o -> {
            o.writeShort(ni);
            o.writeInt(body.length);
            o.write(body);
        }));
        return this;
    }

    class Code {
        final int acc;
        final int n;
        final int d;
        int stack = 8;
        int locals = 8;
        boolean body;
        final ByteArrayOutputStream code = new ByteArrayOutputStream();
        final List<int[]> handlers = new ArrayList<>();
        final Map<String, Integer> labels = new HashMap<>();
        final List<Object[]> jumps = new ArrayList<>();
        byte[] extra = {};
        int extraCount;
        String[] attributes = {};
        final int codeName;

        Code(int acc, int n, int d) {
            this.acc = acc;
            this.n = n;
            this.d = d;
            codeName = utf("Code");
        }

        Code size(int s, int l) {
            stack = s;
            locals = l;
            return this;
        }

        /** Attributes of the method that are two zero bytes each. */
        Code attributes(String... names) {
            attributes = names;
            for (String n : names) {
                utf(n);
            }
            return this;
        }

        Code op(int... bs) {
            body = true;
            for (int b : bs) {
                code.write(b);
            }
            return this;
        }

        Code op2(int op, int index) {
            return op(op, index >> 8 & 255, index & 255);
        }

        Code label(String l) {
            labels.put(l, code.size());
            return this;
        }

        Code jump(int op, String l) {
            boolean wide = op == 0xc8 || op == 0xc9;
            jumps.add(new Object[] {code.size(), code.size() + 1, l, wide});
            return op(op).op(new int[wide ? 4 : 2]);
        }

        /** Four bytes of a switch, relative to the instruction at base. */
        Code offset(int base, String l) {
            jumps.add(new Object[] {base, code.size(), l, true});
            return op(0, 0, 0, 0);
        }

        Code u4(int v) {
            return op(v >>> 24, v >> 16 & 255, v >> 8 & 255, v & 255);
        }

        int pc() {
            return code.size();
        }

        Code invokeStatic(String c, String m, String desc) {
            return op2(0xb8, mref(c, m, desc));
        }

        Code invokeVirtual(String c, String m, String desc) {
            return op2(0xb6, mref(c, m, desc));
        }

        Code invokeSpecial(String c, String m, String desc) {
            return op2(0xb7, mref(c, m, desc));
        }

        Code invokeInterface(String c, String m, String desc, int args) {
            return op2(0xb9, iref(c, m, desc)).op(args, 0);
        }

        Code create(String c) {
            return op2(0xbb, cls(c)).op(0x59).invokeSpecial(c, "<init>", "()V");
        }

        Code ldc(int index) {
            return op2(0x13, index);
        }

        Code handler(String from, String to, String at, String type) {
            handlers.add(new int[] {labels.get(from), labels.get(to), labels.get(at), type == null ? 0 : cls(type)});
            return this;
        }

        Asm end() {
            return Asm.this;
        }

        void write(DataOutputStream o) throws IOException {
            byte[] b = code.toByteArray();
            for (Object[] j : jumps) {
                int delta = labels.get((String) j[2]) - (Integer) j[0];
                int at = (Integer) j[1];
                int n2 = (Boolean) j[3] ? 4 : 2;
                for (int i = 0; i < n2; i++) {
                    b[at + i] = (byte) (delta >> 8 * (n2 - 1 - i));
                }
            }
            o.writeShort(acc);
            o.writeShort(n);
            o.writeShort(d);
            o.writeShort((body ? 1 : 0) + attributes.length);
            for (String a : attributes) {
                writeEmptyAttribute(o, a);
            }
            if (body) {
                o.writeShort(codeName);
                o.writeInt(12 + b.length + 8 * handlers.size() + extra.length);
                o.writeShort(stack);
                o.writeShort(locals);
                o.writeInt(b.length);
                o.write(b);
                o.writeShort(handlers.size());
                for (int[] h : handlers) {
                    for (int x : h) {
                        o.writeShort(x);
                    }
                }
                o.writeShort(extraCount);
                o.write(extra);
            }
        }
    }

    byte[] bytes() {
        int bn = bootstraps.isEmpty() ? 0 : utf("BootstrapMethods");
        byte[] tail = bytesOf(o -> {
            o.writeShort(access);
            o.writeShort(thisClass);
            o.writeShort(superClass);
            o.writeShort(interfaces.length);
            for (int i : interfaces) {
                o.writeShort(i);
            }
            o.writeShort(fields.size());
            for (byte[] f : fields) {
                o.write(f);
            }
            o.writeShort(methods.size());
            for (Code m : methods) {
                m.write(o);
            }
            o.writeShort(attributes.size() + (bn == 0 ? 0 : 1));
            for (byte[] a : attributes) {
                o.write(a);
            }
            if (bn != 0) {
                int len = 2;
                for (int[] b : bootstraps) {
                    len += 2 + 2 * b.length;
                }
                o.writeShort(bn);
                o.writeInt(len);
                o.writeShort(bootstraps.size());
                for (int[] b : bootstraps) {
                    o.writeShort(b[0]);
                    o.writeShort(b.length - 1);
                    for (int i = 1; i < b.length; i++) {
                        o.writeShort(b[i]);
                    }
                }
            }
        });
        return bytesOf(o -> {
            o.writeInt(0xcafebabe);
            o.writeShort(0);
            o.writeShort(major);
            o.writeShort(count);
            o.write(pool.toByteArray());
            o.write(tail);
        });
    }

    /** A loader of assembled classes, each found by its name when asked for. */
    static class Loader extends ClassLoader {
        final Map<String, byte[]> classes = new HashMap<>();
        final Map<String, Class<?>> foreign = new HashMap<>();

        Loader(String name, Asm... as) {
            super(name, Asm.class.getClassLoader());
            add(as);
        }

        Loader add(Asm... as) {
            for (Asm a : as) {
                classes.put(a.name.replace('/', '.'), a.bytes());
            }
            return this;
        }

        Class<?> define(byte[] b) {
            return defineClass(null, b, 0, b.length);
        }

        @Override
        protected Class<?> findClass(String n) throws ClassNotFoundException {
            if (foreign.containsKey(n)) {
                return foreign.get(n);
            }
            byte[] b = classes.get(n);
            if (b == null) {
                throw new ClassNotFoundException(n);
            }
            return defineClass(n, b, 0, b.length);
        }
    }

    interface Action {
        Object run() throws Throwable;
    }

    static String mask(Throwable e) {
        return e.toString().replaceAll("@(0x)?[0-9a-f]+", "@").replaceAll("(?s)\nException Details.*", "").replaceAll("\\s+", " ");
    }

    /** Runs and prints the result or the error with its causes. */
    static void t(String what, Action a) {
        String r;
        try {
            r = String.valueOf(a.run());
        } catch (InvocationTargetException e) {
            r = mask(e.getCause()) + (e.getCause().getCause() == null ? "" : " <- " + mask(e.getCause().getCause()));
        } catch (Throwable e) {
            r = mask(e) + (e.getCause() == null ? "" : " <- " + mask(e.getCause()));
        }
        System.out.println(what + ": " + r);
    }

    /** Runs the static method m() of a class of the loader. */
    static Object run(Loader l, String cls) throws Throwable {
        return l.loadClass(cls.replace('/', '.')).getMethod("m").invoke(null);
    }

    static Object run(Asm... as) throws Throwable {
        return run(new Loader("L", as), as[0].name);
    }
}
