#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Agents that may not be loaded into the running VM (-XX:-EnableDynamicAgentLoading), and a debugger back end that is started by jcmd.
set -eu
cat >Waits.java <<'TEXT'
public class Waits {
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        System.in.read();
    }
}
TEXT
cat >Agent.java <<'TEXT'
public class Agent {
    public static void premain(String options) {
        System.out.println("premain");
    }
    public static void agentmain(String options) {
        System.out.println("agentmain");
    }
}
TEXT
cat >Load.java <<'TEXT'
import com.sun.tools.attach.VirtualMachine;
import java.nio.file.Path;
public class Load {
    interface Action {
        void run() throws Exception;
    }
    static void attempt(String what, Action action) {
        try {
            action.run();
            System.out.println(what + ": done");
        } catch (Exception e) {
            System.out.println(what + ": " + e);
        }
    }
    public static void main(String[] args) throws Exception {
        VirtualMachine vm = VirtualMachine.attach(args[0]);
        String jar = Path.of("agent.jar").toAbsolutePath().toString();
        attempt("path", () -> vm.loadAgentPath("/nowhere/libx.so"));
        attempt("library", () -> vm.loadAgentLibrary("nowhere"));
        attempt("jar", () -> vm.loadAgent(jar));
        attempt("management", () -> vm.startLocalManagementAgent());
    }
}
TEXT
javac Waits.java Agent.java Load.java
printf 'Premain-Class: Agent\nAgent-Class: Agent\n' >manifest
jar cfm agent.jar manifest Agent.class
start() {
    mkfifo input
    java "$@" -cp . Waits <input >out.txt 2>err.txt &
    pid=$!
    exec 3>input
    until grep -q '^ready' out.txt; do
        sleep 0.05
    done
}
end() {
    exec 3>&-
    wait $pid
    rm input
    cat out.txt err.txt
}
command() {
    echo "$*"
    timeout 30 jcmd $pid "$@" 2>&1 | sed '1d; /listening at/d'
}
start -XX:-EnableDynamicAgentLoading -javaagent:agent.jar
timeout 60 java -cp . Load $pid
command JVMTI.agent_load "$PWD/agent.jar"
command VM.set_flag EnableDynamicAgentLoading true
command VM.start_java_debugging
command help VM.start_java_debugging
end
start
timeout 60 java -cp . Load $pid
end
start -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0
command VM.start_java_debugging
end >all.txt
sed 's|[0-9]*$||' all.txt
start -agentlib:jdwp=transport=dt_socket,server=y,onjcmd=y,address=127.0.0.1:0
command VM.start_java_debugging x
command VM.start_java_debugging
command VM.start_java_debugging
until port=$(sed -n 's/^Listening.*: //p' out.txt) && [ -n "$port" ]; do
    sleep 0.05
done
exec 4<>"/dev/tcp/127.0.0.1/$port"
printf 'JDWP-Handshake' >&4
head -c 14 <&4
echo
exec 4>&-
until [ "$(grep -c '^Listening' out.txt)" = 2 ]; do # for the next debugger
    sleep 0.05
done
end >all.txt
sed 's|[0-9]*$||' all.txt
