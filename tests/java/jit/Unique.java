// SPDX-License-Identifier: Apache-2.0
// A method that one class alone implements, as long as nothing else is linked, is called without a choice. A class comes that inherits
// what its abstract superclasses do, which no receiver has selected before; one that inherits the same as others; one below another
// abstract class.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:ProfileThreshold=1 -XX:CompileThresholdScaling=0.02
// @quick
public class Unique {
    abstract static class Top {
        int number = 1;
        int own() { return number; }
        int same() { return 100 * number; }
        abstract int needed();
    }
    abstract static class Middle extends Top {
        @Override int same() { return 200 * number; }
    }
    static class First extends Top {
        int[] more = {7, 8, 9};
        @Override int own() { return many(); }
        int many() { return more[number]; }
        int needed() { return 10; }
    }
    static class Inherits extends Top {
        int needed() { return 20; }
    }
    static class Alike extends Top {
        @Override int own() { return -3; }
        int needed() { return 30; }
    }
    static class Below extends Middle {
        int needed() { return 40; }
    }

    static int own(Top t) { return t.own(); }
    static int same(Top t) { return t.same(); }
    static int needed(Top t) { return t.needed(); }

    static int all(Top t) {
        int sum = 0;
        for (int i = 0; i < 1000; i++)
            sum += own(t) + same(t) * 3 + needed(t) * 7;
        return sum;
    }

    public static void main(String[] args) {
        Top first = new First();
        System.out.println("first " + all(first));
        Top inherits = new Inherits();
        System.out.println("inherits " + own(inherits) + " " + same(inherits) + " " + needed(inherits));
        System.out.println("inherits " + all(inherits) + ", first " + all(first));
        Top alike = new Alike();
        System.out.println("alike " + own(alike) + " " + same(alike) + " " + needed(alike));
        System.out.println("alike " + all(alike) + ", first " + all(first));
        Top below = new Below();
        System.out.println("below " + own(below) + " " + same(below) + " " + needed(below));
        System.out.println("below " + all(below) + ", first " + all(first));
    }
}
