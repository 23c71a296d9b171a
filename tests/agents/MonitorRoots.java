// SPDX-License-Identifier: Apache-2.0
// FollowReferences tells the monitors that a thread holds: of blocks, of methods, entered by JNI. HotSpot 17 tells none.
// @agent ti_monitor_roots
// @only pellucid
public class MonitorRoots {
    static native void tag(Object o, long tag);
    static native void roots(Object entered); // by JNI

    final String name;
    MonitorRoots(String name) {
        this.name = name;
    }

    synchronized void method(Object once, Object twice, Object jni) {
        synchronized (once) {
            synchronized (twice) {
                synchronized (twice) {
                    roots(jni);
                }
            }
        }
    }

    public static void main(String[] args) {
        Object[] objects = {new MonitorRoots("method"), new Object(), new Object(), new Object(), new Object()};
        for (int i = 0; i < objects.length; i++)
            tag(objects[i], i + 1);
        ((MonitorRoots) objects[0]).method(objects[1], objects[2], objects[3]);
    }
}
