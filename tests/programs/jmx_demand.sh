#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The JMX agent of a running VM by jcmd: started with options, asked for its state, read by another process, stopped; the
# local one, and -verbose:jni on the way.
# @timeout 180
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
import javax.management.remote.*;
public class Client {
    public static void main(String[] args) {
        String address = args[0].startsWith("service:") ? args[0] : "service:jmx:rmi:///jndi/rmi://127.0.0.1:" + args[0] + "/jmxrmi";
        try (JMXConnector c = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            RuntimeMXBean r = ManagementFactory.newPlatformMXBeanProxy(c.getMBeanServerConnection(), ManagementFactory.RUNTIME_MXBEAN_NAME, RuntimeMXBean.class);
            System.out.println("reads " + r.getSpecVersion() + " " + r.getSystemProperties().get("sun.java.command"));
        } catch (Exception e) {
            System.out.println(e.getClass().getName());
        }
    }
}
TEXT
"$JAVA_HOME/bin/javac" -d . Server.java Client.java
port=$(python3 "$PARTS/free_port.py")
mkfifo stop
java -verbose:jni -cp . Server <stop >verbose &
server=$!
exec 3>stop
ask() {
    jcmd $server "$@" 2>&1 | sed -e "s/^$server:/PID:/" -e "s/$port/PORT/g" -e 's|rmi://[^ ]*|rmi://ADDRESS|' |
        grep -Ev '^ *com\.sun|^$' || true
}
for _ in {1..100}; do
    if jcmd -l | grep -q "^$server Server"; then
        break
    fi
    sleep 0.2
done
ask ManagementAgent.status
ask ManagementAgent.start jmxremote.port="$port" jmxremote.authenticate=false jmxremote.ssl=false jmxremote.host=127.0.0.1
ask ManagementAgent.status
java -cp . Client "$port"
ask ManagementAgent.start jmxremote.port="$port" jmxremote.authenticate=false jmxremote.ssl=false
ask ManagementAgent.stop
java -cp . Client "$port"
ask ManagementAgent.start_local
ask ManagementAgent.status
java -cp . Client "$(jcmd $server ManagementAgent.status | sed -n 's/^URL *: //p')"
echo >&3
wait
grep -c 'Dynamic-linking native method java.lang.Object.registerNatives\|Registering JNI native method java.lang.Thread.start0\]' verbose |
    sed 's/[1-9]/some/'
