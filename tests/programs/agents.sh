#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How agents are named, found, started, and let go of when the start fails (JVM TI, Deploying Agents and Agent Start-Up: A1, A2,
# A11, A12, A14, A24 to A26 in docs/BEHAVIOURS.md), -Xrun, and agents loaded into the running program.
# @timeout 120
set -eu
cat >Say.java <<'TEXT'
import java.lang.management.ManagementFactory;
import javax.management.ObjectName;

public class Say {
    // Arguments: properties to print, or :command... for the diagnostic command that loads an agent.
    public static void main(String[] args) throws Exception {
        for (String arg : args)
            System.out.println(arg.startsWith(":") ? load(arg.substring(1).split(" ", 2)) : arg + "=" + System.getProperty(arg));
        System.out.println("main ends");
    }

    static Object load(String[] words) throws Exception {
        return ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "jvmtiAgentLoad", new Object[] {words}, new String[] {String[].class.getName()});
    }
}
TEXT
javac Say.java
agent=$BUILD_TREE/tests/libti_starts.so
mkdir first second
cp "$agent" first/libsought.so
cp "$agent" second/libsought.so
cp "$agent" second/libother.so
cp "$agent" second/libjdwp.so
cp "$agent" second/odd.name
cp "$agent" second/libti_path.so
cp "$BUILD_TREE/tests/libti_rules_rest.so" second/libonly_agent.so
echo text >second/libtext.so
export LD_LIBRARY_PATH=$PWD/first:$PWD/second
t() {
    echo "\$ $*" | sed "s|$PWD|<here>|g"
    code=0
    java "$@" >out 2>err </dev/null || code=$?
    sed "s/^/  /;s|$PWD|<here>|g" out
    sed "s/^/! /;s|$PWD|<here>|g" err
    if ((code != 0)); then
        echo "exit code $code"
    fi
}
export CLASSPATH=.
# names and paths
t -agentlib:sought Say
t -agentlib:sought= Say
t -agentlib:sought=first -agentlib:other=second=third Say
t -agentlib:libsought.so Say
t -agentlib:text Say
t -agentlib:jdwp=help Say
t "-agentpath:$PWD/second/odd.name=by path" Say
t "-agentpath:$PWD/second/ti_path" Say
t -agentpath:second/odd.name Say
t -agentpath:sought Say
t "-agentpath:$PWD/second/libtext.so" Say
# agents without an environment, and with events
t -agentlib:sought=bare Say
t -agentlib:sought=events Say
t -agentlib:sought=events NoSuchClass
# -Xrun
t -Xrunsought Say
t -Xrunsought: Say
t -Xrunsought:a=b:c Say
t -Xrunonly_agent NoSuchClass
# JAVA_TOOL_OPTIONS
printf -v blanks '  -Da=1 \t-Db=2\n-Dc=3\v-Dd=4\r-De=5\f-Df=6 '
JAVA_TOOL_OPTIONS=$blanks t Say a b c d e f
JAVA_TOOL_OPTIONS="-Da='x \"y\" z' \"-Db=it's\" -D'c'=mid\"dle qu\"oted '-Dd=' -De=\\n" t Say a b c d e
JAVA_TOOL_OPTIONS="-Da=before -Db=before" t -Da=line Say a b
JAVA_TOOL_OPTIONS="-agentlib:sought=tool" t -agentlib:other=line Say
JAVA_TOOL_OPTIONS="-version" t Say
# into the running program
t Say ":$PWD/second/libother.so" ":$PWD/second/libother.so \"attached=1\"" ":$PWD/second/libother.so fail" :sought \
    ":$PWD/second/libonly_agent.so"
