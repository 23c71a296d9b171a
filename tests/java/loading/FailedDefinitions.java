// SPDX-License-Identifier: Apache-2.0
// Definitions that fail, of a class that is there already or whose superclass is missing, count neither as loaded nor as unloaded and
// are not logged. Enough of them that a wrong count would be negative.
// @flags -Xlog:class+unload
// @mask 0x[0-9a-f]+
// @mask \[[\d.]+s\]
// @quick
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;

public class FailedDefinitions {
    static final ClassLoadingMXBean BEAN = ManagementFactory.getClassLoadingMXBean();

    static WeakReference<ClassLoader> define() throws Exception {
        byte[] bytes = Dropped.bytes("Victim");
        Dropped l = new Dropped("Victim");
        l.loadClass("Victim");
        int failed = 0;
        for (int i = 0; i < 3000; i++) {
            try {
                l.define("Victim", bytes);
            } catch (LinkageError e) {
                failed++;
            }
        }
        System.out.println("failed " + failed);
        return new WeakReference<>(l);
    }

    public static void main(String[] args) throws Exception {
        BEAN.getUnloadedClassCount();
        System.out.println("goes " + Dropped.goes(define()));
        System.out.println("unloaded " + BEAN.getUnloadedClassCount() + " " + (BEAN.getLoadedClassCount() > 300)
                           + " " + (BEAN.getTotalLoadedClassCount() == BEAN.getLoadedClassCount() + BEAN.getUnloadedClassCount()));
    }
}
