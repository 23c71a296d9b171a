#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the image has of its own or at a second place: agents that are found by name, at the start and by attach; libjsig.so beside the VM.
# @only pellucid
set -eu
cat >Waits.java <<'TEXT'
import com.sun.tools.attach.VirtualMachine;
public class Waits {
    static void load(VirtualMachine vm, String name, String options) {
        try {
            vm.loadAgentLibrary(name, options);
            System.out.println(name + ": loaded");
        } catch (Exception e) {
            System.out.println(name + ": " + e);
        }
    }
    public static void main(String[] args) throws Exception {
        VirtualMachine vm = VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));
        load(vm, "calltrace", "output=live.txt,include=Waits");
        load(vm, "calltrace", "stop");
        load(vm, "attachjdwp", "address=127.0.0.1:0");
        load(vm, "attachjdwp", "");
    }
}
TEXT
javac Waits.java
for file in lib/server/libjsig.so lib/libjsig.so; do
    LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$JAVA_HOME/$file java -version 2>&1 | sed -n 's/ 64-Bit.*//; 3p'
done
java -agentlib:calltrace=output=start.txt,include=Waits -version 2>/dev/null
sed -n 's| in .*||; 2p' start.txt
java -agentlib:attachjdwp=address=127.0.0.1:0 -version 2>/dev/null | sed 's/[0-9]*$//'
java -agentlib:attachjdwp=nonsense=1 -version 2>&1 | head -1
java -Djdk.attach.allowAttachSelf=true -cp . Waits 2>&1 | sed -E 's/(address|port): .*/\1/; s/^(calltrace: records from now on).*/\1/' | sort
grep -c 'Waits.load' live.txt
