// SPDX-License-Identifier: Apache-2.0
// The name in a hidden class's file is another class's: an instance is none of that class (JVMS 5.4.3.1, 4.10.1.2).
// @quick
import java.lang.invoke.*;

public class HiddenNames {
    static class Passes {
        static void take(Passes p) { }
        void give() {
            take(this);
        }
    }
    static class Keeps {
        static Object kept;
        Keeps self() {
            return null;
        }
        void keep() {
            kept = this;
        }
    }

    static void define(Class<?> c) throws Exception {
        byte[] file = c.getResourceAsStream(c.getName() + ".class").readAllBytes();
        try {
            MethodHandles.lookup().defineHiddenClass(file, true);
            System.out.println(c.getName() + " fits");
        } catch (VerifyError e) {
            System.out.println(e.getMessage().replaceAll("0x[0-9a-f]{8,}", "0xN"));
        }
    }

    public static void main(String[] args) throws Exception {
        define(Passes.class);
        define(Keeps.class);
    }
}
