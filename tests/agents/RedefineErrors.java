// SPDX-License-Identifier: Apache-2.0
// Every refusal of RedefineClasses and RetransformClasses; the class stays as it was.
// @agent ti_redefine
// @quick
import java.util.Arrays;

interface ErrI { }
interface ErrJ { }
class ErrBase { int f; int m() { return 0; } }
class ErrOther { }

class Err00 extends ErrBase implements ErrI {
    static int s = 1;
    int a;
    private long b;
    public int m() { return 1; }
    static int t() { return 1; }
    final int u() { return 1; }
    private int p(int x) { return x; }
}
class Err01 extends ErrOther implements ErrI { // another superclass
    static int s = 1; int a; private long b;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
}
class Err02 extends ErrBase implements ErrJ { // another interface
    static int s = 1; int a; private long b;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
}
class Err03 extends ErrBase implements ErrI, ErrJ { // one more
    static int s = 1; int a; private long b;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
}
class Err04 extends ErrBase implements ErrI { // a field more
    static int s = 1; int a; private long b; int c;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
}
class Err05 extends ErrBase implements ErrI { // a field less
    static int s = 1; int a;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
}
class Err06 extends ErrBase implements ErrI { // a field of another type
    static int s = 1; int a; private int b;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
}
class Err07 extends ErrBase implements ErrI { // a field with other modifiers
    static int s = 1; int a; public long b;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
}
class Err08 extends ErrBase implements ErrI { // fields in another order
    int a; static int s = 1; private long b;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
}
class Err09 extends ErrBase implements ErrI { // a method more
    static int s = 1; int a; private long b;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
    public int v() { return 1; }
}
class Err10 extends ErrBase implements ErrI { // a private static method more
    static int s = 1; int a; private long b;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
    private static int v() { return 1; }
}
class Err11 extends ErrBase implements ErrI { // a method less
    static int s = 1; int a; private long b;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; }
}
class Err12 extends ErrBase implements ErrI { // a method with other modifiers
    static int s = 1; int a; private long b;
    public int m() { return 1; } public static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
}
class Err13 extends ErrBase implements ErrI { // a method with another descriptor
    static int s = 1; int a; private long b;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(long x) { return (int) x; }
}
final class Err14 extends ErrBase implements ErrI { // other class modifiers
    static int s = 1; int a; private long b;
    public int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
}
class Err15 extends ErrBase implements ErrI { // synchronized and strictfp methods
    static int s = 1; int a; private long b;
    public synchronized int m() { return 1; } static int t() { return 2; } final int u() { return 1; } private int p(int x) { return x; }
}
class Err16 extends ErrBase implements ErrI { // methods in another order: that is no change
    static int s = 1; int a; private long b;
    private int p(int x) { return x; } final int u() { return 1; } static int t() { return 2; } public int m() { return 1; }
}
class Err17 extends ErrBase implements ErrI { // a final field
    static int s = 1; int a; private long b;
    public int m() { return 1; } static int t() { return 3; } final int u() { return 1; } private int p(int x) { return x; }
    class Inner { }
}

class Err99 { }
class Err18 extends Err99 { }
class Err19 extends Err00 { }
sealed interface Seal0 permits SealA, SealB { }
record SealA(int x) implements Seal0 { }
record SealB(int x) implements Seal0 { }
sealed interface Seal1 permits SealC { }
record SealC(int x) implements Seal1 { }
record Rec0(int x, int y) { }
record Rec1(int x, long y) { }
record Rec2(int x) { }
class Host0 { class In { } }
class Host1 { class In { } class Jn { } }
abstract class Nat0 { native int n(); abstract int m(); }
abstract class Nat1 { int n() { return 1; } abstract int m(); }
abstract class Nat2 { native int n(); int m() { return 1; } }
class Broken { static int x = 1 / Integer.parseInt("0"); }

public class RedefineErrors extends Redefiner {
    static void show(String what, int error) {
        System.out.println(what + ": " + error + ", t() is " + Err00.t());
    }

    static byte[] cut(byte[] file, int at, int... values) {
        byte[] out = file.clone();
        for (int i = 0; i < values.length; i++)
            out[at + i] = (byte) values[i];
        return out;
    }

    // Another class file with the code of t() spoilt: iconst_1 ireturn becomes `op` ireturn.
    static byte[] spoilt(String from, int op) {
        byte[] file = as(Err00.class, from);
        for (int i = 0; i + 1 < file.length; i++)
            if (file[i] == 5 && (file[i + 1] & 255) == 0xac) { // iconst_2, ireturn
                file[i] = (byte) op;
                return file;
            }
        throw new IllegalStateException();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i <= 7; i++)
            System.out.println("wrong " + i + ": " + wrong(i, Err00.class));
        for (int i : new int[] {3, 7}) {
            System.out.println("null " + i + ": " + wrong(i, null));
            System.out.println("string " + i + ": " + wrong(i, "text"));
            System.out.println("int " + i + ": " + wrong(i, int.class));
            System.out.println("array " + i + ": " + wrong(i, int[].class));
            System.out.println("void " + i + ": " + wrong(i, void.class));
        }
        System.out.println("no bytes: " + redefine(Err00.class, null));
        Runnable lambda = () -> { };
        System.out.println("hidden: " + redefine(lambda.getClass(), file("Err00")) + " " + retransform(lambda.getClass()));
        for (Class<?> c : new Class<?>[] {Err00.class, ErrI.class, int.class, int[].class, String[].class, Object.class, String.class, Class.class, Thread.class,
                                          lambda.getClass(), Rec0.class, void.class})
            System.out.println("modifiable " + (c == lambda.getClass() ? "lambda" : c.getName()) + " " + modifiable(c));
        for (int i = 1; i <= 17; i++) {
            String from = String.format("Err%02d", i);
            show(from, become(Err00.class, from));
        }
        show("back", become(Err00.class, "Err00"));
        byte[] good = as(Err00.class, "Err16");
        show("no magic", redefine(Err00.class, cut(good, 0, 1)));
        show("version 62", redefine(Err00.class, cut(good, 6, 0, 62)));
        show("version 44", redefine(Err00.class, cut(good, 6, 0, 44)));
        show("cut short", redefine(Err00.class, Arrays.copyOf(good, good.length / 2)));
        show("one byte", redefine(Err00.class, new byte[] {(byte) 0xca}));
        show("too long", redefine(Err00.class, Arrays.copyOf(good, good.length + 3)));
        show("another name", redefine(Err00.class, file("Err16")));
        show("its own super", redefine(Err00.class, replace(as(Err00.class, "Err18"), "Err99", "Err00")));
        show("no such super", redefine(Err00.class, replace(good, "ErrBase", "ErrBasg")));
        show("circular", redefine(Err00.class, replace(as(Err00.class, "Err18"), "Err99", "Err19")));
        show("wrong stack", redefine(Err00.class, spoilt("Err16", 1)));
        show("underflow", redefine(Err00.class, spoilt("Err16", 0x57)));
        show("no such bytecode", redefine(Err00.class, spoilt("Err16", 0xfe)));
        System.out.println("sealed " + become(Seal0.class, "Seal1") + " " + become(Seal0.class, "Seal0"));
        System.out.println("record " + become(Rec0.class, "Rec1") + " " + become(Rec0.class, "Rec2") + " " + become(Rec0.class, "Rec0"));
        System.out.println("nest " + become(Host0.class, "Host1") + " " + become(Host0.class, "Host0"));
        System.out.println("native " + become(Nat0.class, "Nat1") + " " + become(Nat0.class, "Nat2") + " " + become(Nat0.class, "Nat0"));
        try {
            System.out.println(Broken.x);
        } catch (ExceptionInInitializerError e) {
            System.out.println("broken " + redefine(Broken.class, file("Broken")) + " " + retransform(Broken.class));
        }
        // all or none
        int error = redefine(new Class<?>[] {Err00.class, Rec0.class}, new byte[][] {good, as(Rec0.class, "Rec1")});
        show("second is wrong", error);
        error = redefine(new Class<?>[] {Rec0.class, Err00.class}, new byte[][] {file("Rec0"), good});
        show("both", error);
        byte[] first = as(Err00.class, "Err00");
        show("twice", redefine(new Class<?>[] {Err00.class, Err00.class}, new byte[][] {good, first}));
        show("twice", redefine(new Class<?>[] {Err00.class, Err00.class}, new byte[][] {first, good}));
        show("retransform", retransform(Err00.class, Rec0.class));
        show("retransform twice", retransform(Err00.class, Err00.class));
    }
}
