// SPDX-License-Identifier: Apache-2.0
// Assertions switched on for the package-less classes and off for one of them; of several rules for one class the last decides.
// @flags -ea -da:AssertsOff -da:AssertsTwice -ea:AssertsTwice -ea:AssertsBoth -da:AssertsBoth
// @quick
public class Asserts {
    static class On {
        static String go(int i) {
            assert i > 0 : "i is " + i;
            return "on";
        }
    }

    public static void main(String[] args) {
        System.out.println(AssertsOff.go() + On.go(1));
        try {
            On.go(0);
        } catch (AssertionError e) {
            System.out.println(e);
        }
        System.out.println(Asserts.class.desiredAssertionStatus() + " " + AssertsOff.class.desiredAssertionStatus() + " "
            + String.class.desiredAssertionStatus());
        ClassLoader l = Asserts.class.getClassLoader();
        l.setDefaultAssertionStatus(false);
        l.setClassAssertionStatus("AssertsLate", true);
        System.out.println(AssertsLate.on());
        System.out.println(AssertsTwice.class.desiredAssertionStatus() + " " + AssertsBoth.class.desiredAssertionStatus());
    }
}

class AssertsOff {
    static String go() {
        assert false;
        return "off";
    }
}

class AssertsLate {
    static boolean on() {
        boolean b = false;
        assert b = true;
        return b;
    }
}

class AssertsTwice {
}

class AssertsBoth {
}
