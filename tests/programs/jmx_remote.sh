#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Remote JMX: another process reads every bean over RMI, collects, dumps threads, is notified; and
# wrong configurations of the agent.
# @timeout 120
set -eu
cat >Server.java <<'TEXT'
public class Server {
    public static void main(String[] args) throws Exception {
        System.in.read();
    }
}
TEXT
cat >Client.java <<'TEXT'
import java.lang.management.*;
import java.util.*;
import java.util.concurrent.*;
import javax.management.*;
import javax.management.remote.*;
public class Client {
    static JMXConnector connect(String port) throws Exception {
        JMXServiceURL u = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi");
        for (;;)
            try {
                return JMXConnectorFactory.connect(u);
            } catch (java.io.IOException e) {
                Thread.sleep(200);
            }
    }
    static void attributes(MBeanServerConnection s, ObjectName n) throws Exception {
        for (MBeanAttributeInfo i : s.getMBeanInfo(n).getAttributes())
            try {
                s.getAttribute(n, i.getName());
            } catch (RuntimeMBeanException e) {
                System.out.println(n + " " + i.getName() + " " + e.getCause());
            }
    }
    public static void main(String[] args) throws Exception {
        JMXConnector c = connect(args[0]);
        MBeanServerConnection s = c.getMBeanServerConnection();
        for (ObjectName n : new TreeSet<>(s.queryNames(null, null))) {
            System.out.println(n);
            attributes(s, n);
        }
        CountDownLatch told = new CountDownLatch(2);
        ObjectName collector = new ObjectName("java.lang:type=GarbageCollector,name=MarkSweepCompact");
        s.addNotificationListener(collector, (n, h) -> told.countDown(), null, null);
        MemoryMXBean m = ManagementFactory.newPlatformMXBeanProxy(s, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
        m.gc();
        m.gc();
        System.out.println("told " + told.await(30, TimeUnit.SECONDS) + " " + (m.getHeapMemoryUsage().getUsed() > 0));
        ThreadMXBean t = ManagementFactory.newPlatformMXBeanProxy(s, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        boolean main = false;
        while (!main) // it reads its input in the end
            for (ThreadInfo one : t.dumpAllThreads(true, true))
                main |= one.getThreadName().equals("main") && one.isInNative();
        System.out.println("main in native");
        c.close();
    }
}
TEXT
"$JAVA_HOME/bin/javac" -d . Server.java Client.java
port=$(python3 "$PARTS/free_port.py")
agent=(-Dcom.sun.management.jmxremote.authenticate=false -Dcom.sun.management.jmxremote.ssl=false)
mkfifo stop
java -Xint -XX:+UseSerialGC -Dcom.sun.management.jmxremote.port="$port" "${agent[@]}" -cp . Server <stop &
exec 3>stop
java -cp . Client "$port"
echo >&3
wait
set +e
java -Dcom.sun.management.jmxremote.port=word "${agent[@]}" -cp . Server 2>&1 </dev/null | head -2
echo "${PIPESTATUS[0]}"
java -Dcom.sun.management.jmxremote "${agent[@]}" -cp . Server </dev/null
echo $?
