// SPDX-License-Identifier: Apache-2.0
// The module of a class that an agent redefines or retransforms reads the unnamed modules, once a ClassFileLoadHook was
// offered the class, changed or not: profilers put calls to classes of their own into classes of the JDK.
// @agent ti_redefine
// @quick
import com.sun.jdi.VMOutOfMemoryException;

public class RedefineReads extends Redefiner {
    public static void called() {
        System.out.println("called");
    }

    static byte[] changed() {
        return replace(file("VMOutOfMemoryExceptionWhichTellsUs"), "VMOutOfMemoryExceptionWhichTellsUs", "com/sun/jdi/VMOutOfMemoryException");
    }

    static void show(String what, Class<?> c) {
        System.out.println(what + ": " + c.getModule().getName() + " reads " + c.getModule().canRead(RedefineReads.class.getModule()));
    }

    static void call() {
        try {
            new VMOutOfMemoryException();
        } catch (IllegalAccessError e) {
            System.out.println("cannot");
        }
    }

    public static void main(String[] args) throws Exception {
        Class<?> jdi = VMOutOfMemoryException.class, sql = Class.forName("java.sql.Types"), xml = Class.forName("javax.xml.XMLConstants");
        show("before", jdi);
        System.out.println(redefine(jdi, changed()));
        show("redefined, no hook", jdi);
        call();
        hook(0, true, "none", "", "", false);
        show("loaded, a hook", Class.forName("java.util.prefs.Preferences"));
        show("before", sql);
        System.out.println(retransform(sql));
        show("retransformed, a hook", sql);
        System.out.println(redefine(jdi, changed()));
        show("redefined, a hook", jdi);
        call();
        hook(0, true, null, null, null, false);
        System.out.println(retransform(xml));
        show("retransformed, no hook", xml);
    }
}
