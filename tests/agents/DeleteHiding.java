// SPDX-License-Identifier: Apache-2.0
// A redefinition deletes a method that hid one of a superclass: a call that was resolved finds that one from then on, and the
// deleted one again when it comes back.
// @agent ti_add_delete
// @flags -XX:+AllowRedefinitionToAddDeleteMethods
// @quick
public class DeleteHiding extends AddDelete {
    static class Above {
        private static String hidden(int i, long l) { return "above " + i + l; }
        private String own() { return "above"; }
        private static String instance() { return "static above"; }
    }
    static class Below0 extends Above {
        private static String hidden(int i, long l) { return "below " + i + l; }
        private final String own() { return "below"; }
        private final String instance() { return "instance below"; }
        private static String alone() { return "alone"; }
    }
    static class Below1 extends Above {
    }
    static class Lower extends Below0 {
    }

    static String hidden() {
        return Below0.hidden(1, 2);
    }
    static String own(Below0 b) {
        return b.own();
    }
    static String ofLower(Lower l) {
        return ((Below0) l).own() + Below0.hidden(5, 6);
    }
    static String instance(Below0 b) {
        return b.instance();
    }
    static String alone() {
        return Below0.alone();
    }

    interface Call {
        String call();
    }
    static void show(Call c) {
        for (int i = 0; i < 2; i++) {
            try {
                System.out.println(c.call());
            } catch (IncompatibleClassChangeError e) {
                System.out.println(e.getClass().getName() + " " + e.getMessage());
            }
        }
    }
    static void all() {
        Lower l = new Lower();
        show(DeleteHiding::hidden);
        show(() -> own(l));
        show(() -> own(new Below0()));
        show(() -> ofLower(l));
        show(() -> instance(l));
        show(DeleteHiding::alone);
    }

    public static void main(String[] args) {
        all();
        System.out.println(become(Below0.class, "DeleteHiding$Below1"));
        all();
    }
}
