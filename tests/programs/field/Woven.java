// SPDX-License-Identifier: Apache-2.0
// For aspectj.sh: what the aspect is woven into.
import java.util.List;

public class Woven {
    int field;

    String hello(String name) {
        return "hello " + name;
    }

    int sum(List<Integer> list) {
        int sum = 0;
        for (int i : list) {
            sum += i;
        }
        return sum;
    }

    void fail() {
        throw new IllegalStateException("as asked");
    }

    public static void main(String[] args) {
        Woven w = new Woven();
        System.out.println(w.hello("there") + " " + w.sum(List.of(1, 2, 3)));
        w.field = 3;
        try {
            w.fail();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        Runnable r = () -> System.out.println("lambda " + w.field);
        r.run();
        System.out.println((Object) w instanceof Comparable);
    }
}
