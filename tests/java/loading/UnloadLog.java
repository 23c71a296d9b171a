// SPDX-License-Identifier: Apache-2.0
// -Xlog:class+unload names each class.
// @flags -Xlog:class+unload
// @mask 0x[0-9a-f]+
// @mask ^\[[^\]]*s\]
import java.lang.ref.WeakReference;

public class UnloadLog {
    static WeakReference<ClassLoader> load() throws Exception {
        Class<?> c = Class.forName("Victim", true, new Dropped("Victim"));
        return new WeakReference<>(c.getClassLoader());
    }

    public static void main(String[] args) throws Exception {
        System.out.println("goes " + Dropped.goes(load()));
    }
}
