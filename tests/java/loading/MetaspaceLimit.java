// SPDX-License-Identifier: Apache-2.0
// -XX:MaxMetaspaceSize: OutOfMemoryError when classes that live fill it; room again when they died.
// @flags -XX:MaxMetaspaceSize=24m
import java.util.ArrayList;
import java.util.List;

public class MetaspaceLimit {
    static String fill() throws Exception {
        byte[] bytes = Dropped.bytes("Victim");
        List<ClassLoader> kept = new ArrayList<>();
        try {
            for (int i = 0; i < 100000; i++) {
                Dropped l = new Dropped("none");
                l.define("Victim", bytes).getDeclaredConstructor().newInstance();
                kept.add(l);
            }
            return "no limit";
        } catch (OutOfMemoryError e) {
            boolean many = kept.size() > 100;
            kept.clear();
            return e.getMessage() + " " + many;
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            System.out.println(fill());
        }
    }
}
