// SPDX-License-Identifier: Apache-2.0
// What -XX:+HotSpotJVMTI changes, by default and switched in the running VM: by default the specification holds, which HotSpot
// departs from, and the text of the last error names the switch.
// @agent ti_departures
// @only pellucid
// @quick
import java.lang.management.ManagementFactory;
import javax.management.MBeanServer;
import javax.management.ObjectName;

public class Departures {
    static native void all(Object one, Object other, boolean inWords);

    static int neverCalled() {
        return 12345;
    }

    static void show(boolean inWords) {
        Object one = new int[1], other = new int[1];
        all(one, other, inWords);
        if (one == other) // they live until here
            System.out.println("the same");
    }

    static void command(String... mode) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
        System.out.print(server.invoke(commands, "jvmtiHotspot", new Object[] {mode}, new String[] {String[].class.getName()}));
    }

    public static void main(String[] args) throws Exception {
        show(true);
        command();
        command("on");
        show(true);
        command("yes");
        command("off");
        show(false);
    }
}
