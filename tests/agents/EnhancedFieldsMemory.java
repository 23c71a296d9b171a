// SPDX-License-Identifier: Apache-2.0
// Instances that would not fit into the heap any more with a field that comes: the redefinition is refused whole, and what lives goes on
// as it was; once there is room it is taken.
// @agent ti_redefine
// @only pellucid
// @flags -XX:+AllowEnhancedClassRedefinition -Xmx32m
import java.util.ArrayList;
import java.util.List;

class Full00 {
    int n;
    Full00 next;
    String show() { return "n " + n; }
}
class Full01 {
    int n;
    Full01 next;
    long a, b, c, d, e;
    Object f = "f";
    String show() { return "n " + n + " " + a + " " + f; }
}

public class EnhancedFieldsMemory extends Redefiner {
    static String check(List<Full00> all) {
        for (int i = 0; i < all.size(); i++)
            if (all.get(i).n != i || all.get(i).next != (i == 0 ? null : all.get(i - 1)))
                return "wrong at " + i;
        return all.get(1).show() + ", right: all";
    }
    static void fill(List<Full00> all, int count) {
        for (int i = 0; i < count; i++) {
            Full00 one = new Full00();
            one.n = i;
            one.next = i == 0 ? null : all.get(i - 1);
            all.add(one);
        }
    }
    public static void main(String[] args) throws Exception {
        List<Full00> all = new ArrayList<>();
        fill(all, 500_000);
        for (int i = 0; i < 3; i++)
            System.out.println("full: " + become(Full00.class, "Full01") + " " + check(all) + " " + Full00.class.getDeclaredFields().length);
        System.gc();
        System.out.println("after a collection: " + check(all));
        all = new ArrayList<>();
        fill(all, 50_000);
        System.out.println("room: " + become(Full00.class, "Full01") + " " + check(all) + " " + Full00.class.getDeclaredFields().length);
        System.gc();
        System.out.println("after a collection: " + check(all));
    }
}
