// SPDX-License-Identifier: Apache-2.0
// AbstractMethodError and IncompatibleClassChangeError of selection: which method the message names as resolved, which as
// selected, for calls through classes and interfaces, of methods that were never there, that a subclass made abstract
// again, or that several superinterfaces have.
// @quick
import java.util.ArrayList;
import java.util.List;

public class AbstractErrors {
    static final String D = "(ILjava/lang/String;[J)Ljava/lang/Object;";

    static Asm cls(String name, String sup, String... ifs) {
        return new Asm(55, 33, name, sup, ifs).constructor(sup);
    }

    static Asm abs(String name, String sup, String... ifs) {
        Asm a = new Asm(55, 33 | Asm.ABSTRACT, name, sup, ifs).constructor(sup);
        return a;
    }

    static Asm iface(String name, String... ifs) {
        return new Asm(55, Asm.PUB | Asm.IFACE | Asm.ABSTRACT, name, "java/lang/Object", ifs);
    }

    static Asm with(Asm a) {
        a.method(1, "m", D).size(1, 4).ldc(a.str(a.name)).op(0xb0);
        return a;
    }

    static Asm declares(Asm a) {
        a.method(0x401, "m", D);
        return a;
    }

    // Calls m of `made` by each class and interface in `by`.
    static void t(String what, String made, String by, Asm... all) {
        List<Asm> classes = new ArrayList<>(List.of(all));
        for (String b : by.split(" ")) {
            boolean iface = classes.stream().anyMatch(a -> a.name.equals(b) && (a.access & Asm.IFACE) != 0);
            Asm c = new Asm(55, 33, "By" + b, "java/lang/Object");
            Asm.Code code = c.method(9, "m", "()Ljava/lang/Object;").size(5, 0).create(made).op(0x03, 0x01, 0x01);
            if (iface) {
                code.invokeInterface(b, "m", D, 4);
            } else {
                code.invokeVirtual(b, "m", D);
            }
            code.op(0xb0);
            classes.add(c);
        }
        Asm.Loader l = new Asm.Loader("L", classes.toArray(new Asm[0]));
        for (String b : by.split(" ")) {
            Asm.t(what + ": " + made + " by " + b, () -> Asm.run(l, "By" + b));
            Asm.t(what + ": " + made + " by " + b + " again", () -> Asm.run(l, "By" + b));
        }
    }

    public static void main(String[] args) {
        t("never there", "C", "I C", declares(iface("I")), cls("C", "java/lang/Object", "I"));
        t("never there, class", "C", "A C", declares(abs("A", "java/lang/Object")), cls("C", "A"));
        t("abstract again by class", "C", "A B C", with(cls("A", "java/lang/Object")), declares(abs("B", "A")), cls("C", "B"));
        t("abstract again, interface", "C", "I A B C", declares(iface("I")), with(cls("A", "java/lang/Object", "I")), declares(abs("B", "A")), cls("C", "B"));
        t("default abstract again", "C", "I J C", with(iface("I")), declares(iface("J", "I")), cls("C", "java/lang/Object", "J"));
        t("default abstract again below", "C", "I J A C", with(iface("I")), declares(iface("J", "I")), cls("A", "java/lang/Object", "I"), cls("C", "A", "J"));
        t("default abstract again, class in between", "C", "I J A C", with(iface("I")), declares(iface("J", "I")), abs("A", "java/lang/Object", "J"), cls("C", "A"));
        t("default abstract again, subclass", "C", "I J A C", with(iface("I")), declares(iface("J", "I")), cls("A", "java/lang/Object", "J"), cls("C", "A"));
        t("subclass of never there", "C", "I A C", declares(iface("I")), cls("A", "java/lang/Object", "I"), cls("C", "A"));
        t("subclass of never there, again", "C", "I A C", declares(iface("I")), cls("A", "java/lang/Object", "I"), cls("C", "A", "I"));
        t("two abstract", "C", "I J C", declares(iface("I")), declares(iface("J")), cls("C", "java/lang/Object", "I", "J"));
        t("default and abstract", "C", "I J C", with(iface("I")), declares(iface("J")), cls("C", "java/lang/Object", "I", "J"));
        t("abstract and default", "C", "I J C", declares(iface("I")), with(iface("J")), cls("C", "java/lang/Object", "I", "J"));
        t("two defaults", "C", "C", with(iface("I")), with(iface("J")), cls("C", "java/lang/Object", "I", "J"));
        t("two defaults, subclass", "C", "A C", with(iface("I")), with(iface("J")), cls("A", "java/lang/Object", "I", "J"), cls("C", "A"));
        // Through an interface HotSpot throws AbstractMethodError for it, JVMS 6.5 demands IncompatibleClassChangeError.
        t("two defaults, second below", "C", "A C", with(iface("I")), with(iface("J")), cls("A", "java/lang/Object", "I"), cls("C", "A", "J"));
        t("abstract class of interface", "C", "I A C", declares(iface("I")), abs("A", "java/lang/Object", "I"), cls("C", "A"));
        t("class abstract before default", "C", "I A C", with(iface("I")), declares(abs("A", "java/lang/Object")), cls("C", "A", "I"));
        t("class abstract before abstract", "C", "I A C", declares(iface("I")), declares(abs("A", "java/lang/Object")), cls("C", "A", "I"));
        t("private hides", "C", "I C", declares(iface("I")), priv(cls("C", "java/lang/Object", "I"), 2));
        t("package hides", "C", "I C", declares(iface("I")), priv(cls("C", "java/lang/Object", "I"), 0));
        t("protected hides", "C", "I C", declares(iface("I")), priv(cls("C", "java/lang/Object", "I"), 4));
        t("static hides", "C", "I", declares(iface("I")), priv(cls("C", "java/lang/Object", "I"), 9));
        t("private hides default", "C", "I", with(iface("I")), priv(cls("C", "java/lang/Object", "I"), 2));
        t("private above", "C", "I", declares(iface("I")), priv(cls("A", "java/lang/Object"), 2), cls("C", "A", "I"));
        t("private above default", "C", "I C", with(iface("I")), priv(cls("A", "java/lang/Object"), 2), cls("C", "A", "I"));
        t("static above default", "C", "I", with(iface("I")), priv(cls("A", "java/lang/Object"), 9), cls("C", "A", "I"));
        t("package above", "C", "I C", declares(iface("I")), priv(cls("A", "java/lang/Object"), 0), cls("C", "A", "I"));
        t("never there, other default", "C", "I C", other(declares(iface("I"))), cls("C", "java/lang/Object", "I"));
        t("never there, other iface default", "C", "I C", declares(iface("I")), other(iface("J")), cls("C", "java/lang/Object", "I", "J"));
        t("abstract default abstract", "C", "I J K C", declares(iface("I")), with(iface("J", "I")), declares(iface("K", "J")), cls("C", "java/lang/Object", "K"));
        t("two reabstract", "C", "I J K C", with(iface("I")), declares(iface("J", "I")), declares(iface("K", "I")), cls("C", "java/lang/Object", "J", "K"));
        t("class A with J, other default; C extends", "C", "I A C", other(declares(iface("I"))), cls("A", "java/lang/Object", "I"), cls("C", "A"));
        t("new default below", "C", "I J A C", declares(iface("I")), cls("A", "java/lang/Object", "I"), other(iface("J")), cls("C", "A", "J"));
        t("abstract class declares; default other", "C", "I A C", other(declares(iface("I"))), declares(abs("A", "java/lang/Object", "I")), cls("C", "A"));
        t("abs class, other default", "C", "I A C", other(declares(iface("I"))), abs("A", "java/lang/Object", "I"), cls("C", "A"));
    }

    static Asm other(Asm a) {
        a.method(1, "other", D).size(1, 4).ldc(a.str(a.name)).op(0xb0);
        return a;
    }

    static Asm priv(Asm a, int access) {
        a.method(access, "m", D).size(1, 4).ldc(a.str(a.name)).op(0xb0);
        return a;
    }
}
