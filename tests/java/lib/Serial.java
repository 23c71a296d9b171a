// SPDX-License-Identifier: Apache-2.0
// Serialization: graphs, cycles, transient, Externalizable, readResolve, enums, records, lambdas, arrays, filters, computed UIDs.
// @quick
import java.io.*;
import java.util.*;

public class Serial {
    static class Base {
        int notSer = 5;
        Base() {
            notSer = 6;
        }
    }
    static class Node extends Base implements Serializable {
        private static final long serialVersionUID = 1;
        int i = 1;
        transient int t = 2;
        final String s;
        Node self;
        List<Node> kids = new ArrayList<>();
        double[] ds = {1, 2};
        byte b = 1;
        char c = 'c';
        long l = 3;
        float f = 4;
        boolean z = true;
        short sh = 5;
        Node(String s) {
            this.s = s;
            notSer = 99;
        }
        private void writeObject(ObjectOutputStream o) throws IOException {
            o.defaultWriteObject();
            o.writeInt(77);
        }
        private void readObject(ObjectInputStream o) throws IOException, ClassNotFoundException {
            o.defaultReadObject();
            t = o.readInt();
        }
    }
    static class Sing implements Serializable {
        static final Sing ONE = new Sing();
        private Object readResolve() {
            return ONE;
        }
    }
    public static class Ext implements Externalizable {
        int v;
        public Ext() {}
        public void writeExternal(ObjectOutput o) throws IOException {
            o.writeInt(v * 2);
        }
        public void readExternal(ObjectInput i) throws IOException {
            v = i.readInt();
        }
    }
    enum E { A, B { } }
    record R(int a, String b) implements Serializable {
        R {
            if (a < 0) {
                throw new IllegalArgumentException();
            }
        }
    }
    static class NoUid implements Serializable, Comparable<NoUid> {
        int a;
        protected String b;
        static int st = 5;
        public int compareTo(NoUid o) {
            return 0;
        }
        private void m(int[] x) {}
    }
    static class Not {}

    static byte[] ser(Object o) throws IOException {
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        try (ObjectOutputStream oo = new ObjectOutputStream(b)) {
            oo.writeObject(o);
        }
        return b.toByteArray();
    }
    static Object de(byte[] b) throws Exception {
        return new ObjectInputStream(new ByteArrayInputStream(b)).readObject();
    }

    public static void main(String[] args) throws Exception {
        Node n = new Node("root");
        n.self = n;
        n.kids.add(new Node("kid"));
        n.kids.add(n);
        byte[] b = ser(n);
        Node m = (Node) de(b);
        System.out.println(b.length + " " + m.s + (m.self == m) + m.kids.get(0).s + (m.kids.get(1) == m) + m.t + m.notSer + m.ds[1] + m.b + m.c + m.l + m.f + m.z + m.sh);
        System.out.println((de(ser(Sing.ONE)) == Sing.ONE) + " " + (de(ser(E.B)) == E.B) + " " + de(ser(new R(1, "x"))));
        Ext e = new Ext();
        e.v = 4;
        System.out.println(((Ext) de(ser(e))).v);
        System.out.println(ObjectStreamClass.lookup(NoUid.class).getSerialVersionUID() + " " + ObjectStreamClass.lookup(Not.class) + " " + ObjectStreamClass.lookup(int[].class).getSerialVersionUID());
        Object[] many = {1, 2L, "s", new Date(0), new int[][] {{1}, {2}}, new HashMap<>(Map.of("k", 1)), new TreeSet<>(List.of(3, 1)), EnumSet.of(E.A), Locale.JAPAN,
            new java.math.BigDecimal("1.5"), List.of(1, 2), Thread.State.NEW, String.class, null};
        System.out.println(Arrays.deepToString((Object[]) de(ser(many))));
        try {
            ser(new Object[] {new Not()});
        } catch (NotSerializableException x) {
            System.out.println(x.getMessage());
        }
        byte[] cut = Arrays.copyOf(b, b.length / 2);
        try {
            de(cut);
        } catch (EOFException x) {
            System.out.println("EOF");
        }
        ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(b));
        in.setObjectInputFilter(ObjectInputFilter.Config.createFilter("!Serial$Node"));
        try {
            in.readObject();
        } catch (InvalidClassException x) {
            System.out.println(x.getMessage());
        }
    }
}
