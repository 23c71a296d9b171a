// SPDX-License-Identifier: Apache-2.0
// -XX:CompressedClassSpaceSize: likewise.
// @flags -XX:CompressedClassSpaceSize=3m
import java.util.ArrayList;
import java.util.List;

public class ClassSpaceLimit {
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
