// SPDX-License-Identifier: Apache-2.0
// Nestmate private access, inner classes of all kinds, captured variables, outer chains.
// @quick
import java.util.*;

public class NestInner {
    private int priv = 1;
    private static int spriv = 2;
    private int m() {
        return 3;
    }
    private static int sm(long x) {
        return (int) x + 4;
    }
    private NestInner() {}
    private NestInner(int p) {
        priv = p;
    }

    class In {
        private int mine = 10;
        class Deeper {
            private int go() {
                priv++;
                spriv += 2;
                mine *= 2;
                return priv + spriv + mine + m() + sm(1) + NestInner.this.priv + In.this.mine;
            }
        }
    }
    static class Nested {
        private final NestInner o = new NestInner(100);
        private int look() {
            return o.priv + o.m() + o.new In().mine;
        }
    }
    interface Priv {
        private int hidden() {
            return 5;
        }
        private static int shidden() {
            return 6;
        }
        default int open() {
            return hidden() + shidden();
        }
        static int stat(Priv p) {
            return p.hidden();
        }
    }
    static class Base {
        private String name() {
            return "Base";
        }
        String call() {
            return name();
        }
    }
    static class Sub extends Base {
        private String name() {
            return "Sub";
        }
        String call2() {
            return name() + super.name() + ((Base) this).name();
        }
    }

    public static void main(String[] args) throws Exception {
        NestInner n = new NestInner();
        In.Deeper d = n.new In().new Deeper();
        System.out.println(d.go() + " " + d.go() + " " + new Nested().look());
        Priv p = new Priv() {};
        System.out.println(p.open() + Priv.stat(p));
        System.out.println(new Sub().call() + new Sub().call2());
        int cap = 5;
        class Loc {
            int v = cap + n.priv;
            Loc next() {
                return new Loc() {
                    {
                        v = v * 2 + cap;
                    }
                };
            }
        }
        System.out.println(new Loc().v + " " + new Loc().next().v + " " + new Loc().next().getClass().getName());
        System.out.println(Loc.class.getEnclosingMethod() + " " + Loc.class.isLocalClass() + " " + new Loc().next().getClass().isAnonymousClass()
            + " " + In.Deeper.class.getDeclaringClass() + " " + In.class.isMemberClass());
        System.out.println(In.class.getNestHost() + " " + NestInner.class.isNestmateOf(In.Deeper.class) + " "
            + NestInner.class.isNestmateOf(String.class) + " " + int[].class.getNestHost());
        List<String> names = new ArrayList<>();
        for (Class<?> c : NestInner.class.getNestMembers()) {
            names.add(c.getName());
        }
        Collections.sort(names);
        System.out.println(names);
        System.out.println(Nested.class.getDeclaredMethod("look").invoke(new Nested()));
        Iterator<Integer> it = new Iterator<>() {
            int i;
            public boolean hasNext() {
                return i < 3;
            }
            public Integer next() {
                return i++;
            }
        };
        while (it.hasNext()) {
            System.out.print(it.next() + " ");
        }
        System.out.println();
        try {
            NestInner nul = null;
            nul.new In();
        } catch (NullPointerException e) {
            System.out.println("NPE outer");
        }
    }
}
