// SPDX-License-Identifier: Apache-2.0
// isVerbose of the beans tells what standard output gets of class+load* and of gc, not what other outputs get.
// @flags -Xlog:class+load=info:stderr -Xlog:gc=debug:stderr
// @mask (?s)\A.*the log ends\n
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import javax.management.MBeanServer;
import javax.management.ObjectName;

public class Verbose {
    static final ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
    static final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();

    static String state() {
        return classes.isVerbose() + " " + memory.isVerbose();
    }

    static void configure(String what) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        String[] arguments = {"output=stdout", "what=" + what};
        server.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "vmLog", new Object[] {arguments},
            new String[] {String[].class.getName()});
    }

    public static void main(String[] args) throws Exception {
        StringBuilder seen = new StringBuilder("at first: " + state());
        String[] wanted = {"class+load=trace", "class+load*=info", "class+load*=warning", "class*=debug", "class+load*=info,class+load=off",
            "class+load*=off", "gc", "gc*=debug", "gc=off,gc+heap=info", "gc=warning"};
        for (String what : wanted) {
            configure(what);
            String now = state();
            seen.append('\n').append(what).append(": ").append(now);
        }
        classes.setVerbose(true);
        memory.setVerbose(true);
        String on = state();
        classes.setVerbose(false);
        memory.setVerbose(false);
        seen.append('\n').append(on).append(", ").append(state());
        configure("all=off");
        System.out.println("the log ends");
        System.out.println(seen);
    }
}
