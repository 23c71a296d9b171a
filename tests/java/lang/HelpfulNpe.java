// SPDX-License-Identifier: Apache-2.0
// The helpful NullPointerException messages in many shapes.
// @quick
public class HelpfulNpe {
    HelpfulNpe next;
    int i;
    long l;
    Object[] oa;
    int[] ia;
    int[][] iaa;
    static HelpfulNpe snull;
    static int[] sarr;
    String s;

    HelpfulNpe me() {
        return this;
    }
    HelpfulNpe builders(StringBuilder[][] a, ObjectTwo b, Integer c) {
        return null;
    }
    static class ObjectTwo {
    }
    HelpfulNpe none(int a, String b) {
        return null;
    }
    static HelpfulNpe snone() {
        return null;
    }
    void v() {}
    synchronized int[] arr() {
        return null;
    }

    static void t(Runnable r) {
        try {
            r.run();
            System.out.println("none");
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
    }

    static void param(HelpfulNpe p, int[] a, long[][] q, String z) {
        t(() -> p.v());
        try {
            p.i = 3;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            a[3] = 4;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            System.out.println(q[0][1]);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            z.length();
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            synchronized (z) {
                System.out.println();
            }
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
    }

    void inst(Object o) {
        try {
            o.hashCode();
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            next.next.i++;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            s.charAt(i + 3);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            this.iaa[i][i + 1]++;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
    }

    public static void main(String[] args) {
        HelpfulNpe h = new HelpfulNpe();
        param(null, null, new long[1][], null);
        h.inst(null);
        t(() -> h.next.v());
        t(() -> h.next.next.next.v());
        t(() -> System.out.println(h.me().next.l));
        t(() -> h.me().none(1, "b").v());
        t(() -> snone().v());
        t(() -> snone().next.i = 3);
        t(() -> snull.i = 1);
        t(() -> snull.l++);
        t(() -> System.out.println(sarr[5]));
        t(() -> sarr[5] = h.i);
        t(() -> System.out.println(sarr.length));
        t(() -> System.out.println(h.oa[h.i + 2]));
        t(() -> System.out.println(h.ia[1]));
        t(() -> h.iaa[1][2] = 3);
        h.iaa = new int[3][];
        int k = 2;
        t(() -> h.iaa[1][2] = 3);
        t(() -> System.out.println(h.iaa[k][h.i]));
        t(() -> System.out.println(h.iaa[h.me().i + k - 1].length));
        t(() -> System.out.println(h.arr()[0]));
        t(() -> System.out.println(h.s.length()));
        h.oa = new Object[5];
        t(() -> h.oa[3].toString());
        t(() -> ((Runnable) h.oa[k]).run());
        t(() -> ((String) h.oa[4]).length());
        t(() -> {
            throw (RuntimeException) h.oa[1];
        });
        t(() -> {
            synchronized (h.oa[0]) {
                h.i++;
            }
        });
        t(() -> {
            int x = (Integer) h.oa[0];
        });
        t(() -> {
            for (Object o : (Iterable<?>) h.oa[0]) {
                System.out.println(o);
            }
        });
        t(() -> {
            for (Object o : (Object[]) h.oa[0]) {
                System.out.println(o);
            }
        });
        t(() -> {
            String z = null;
            switch (z) {
            case "a":
                System.out.println("a");
                break;
            default:
                break;
            }
        });
        t(() -> {
            throw new NullPointerException();
        });
        t(() -> {
            throw new NullPointerException("own");
        });
        t(() -> java.util.Objects.requireNonNull(null));
        t(() -> java.util.Objects.requireNonNull(null, "msg"));
        t(() -> {
            boolean[] z = null;
            byte[] b = null;
            try {
                z[0] = true;
            } catch (NullPointerException e) {
                System.out.println(e.getMessage());
            }
            b[1] = 2;
        });
        t(() -> {
            char[] c = null;
            short[] q = null;
            try {
                c[0]++;
            } catch (NullPointerException e) {
                System.out.println(e.getMessage());
            }
            System.out.println(q[1]);
        });
        t(() -> {
            float[] c = null;
            double[] q = null;
            try {
                c[0] = 1;
            } catch (NullPointerException e) {
                System.out.println(e.getMessage());
            }
            System.out.println(q[1]);
        });
        t(() -> {
            long[] c = null;
            Object[] q = null;
            try {
                c[k * 2] = 1;
            } catch (NullPointerException e) {
                System.out.println(e.getMessage());
            }
            q[1] = "x";
        });
        t(() -> {
            Object o = k > 1 ? null : "x";
            o.toString();
        });
        t(() -> (k > 5 ? "a" : (String) null).length());
        t(() -> ((StringBuilder) null).append(new StringBuffer()));
        t(() -> ((String) null).contentEquals(new StringBuffer()));
        t(() -> ((HelpfulNpe) null).builders(null, null, null));
        try {
            HelpfulNpe.class.getDeclaredMethod("v").invoke(null);
        } catch (NullPointerException | ReflectiveOperationException e) {
            System.out.println(e instanceof NullPointerException);
        }
    }
}
