// SPDX-License-Identifier: Apache-2.0
// -Xnoclassgc: classes stay, their loaders with them.
// @flags -Xnoclassgc
// @quick
import java.lang.ref.WeakReference;

public class NoUnload {
    static WeakReference<ClassLoader> load() throws Exception {
        Class<?> c = Class.forName("Victim", true, new Dropped("Victim"));
        return new WeakReference<>(c.getClassLoader());
    }

    public static void main(String[] args) throws Exception {
        WeakReference<ClassLoader> loader = load();
        System.out.println("stays " + Dropped.stays(loader));
    }
}
