#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Performance data: jps, jcmd -l and jstat see a running VM with its figures; its file goes with it.
# @timeout 120
# @not stress it collects at each step: what is counted, and when memory is used up, is chance
# @not jit-all what options there are, or what they make the compiler do, is looked at
set -eu
cat >Work.java <<'TEXT'
public class Work {
    static byte[][] kept = new byte[64][];
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3000; i++)
            kept[i % kept.length] = new byte[20000];
        System.gc();
        System.out.println("ready");
        System.in.read();
    }
}
TEXT
javac Work.java
start() {
    : >out.txt
    mkfifo in
    java "$@" -cp . Work some args <in >out.txt 2>&1 &
    pid=$!
    exec 3>in
    for _ in $(seq 600); do
        if grep -q ready out.txt; then
            break
        fi
        sleep 0.05
    done
    sleep 0.2 # figures are sampled
}
stop() {
    exec 3>&-
    rm in
    wait $pid || echo "exit code $?"
}
file() {
    echo "/tmp/hsperfdata_$(id -un)/$pid"
}
start -Xmx32m -XX:+UseSerialGC
stat -c '%a %s' "$(file)"
jps -lvm | grep "^$pid " | sed "s/^$pid/PID/"
jcmd -l | grep "^$pid " | sed "s/^$pid/PID/"
for option in gc gcutil gccapacity gcnew gcnewcapacity gcold gcoldcapacity gcmetacapacity gccause class compiler printcompilation; do
    echo "$option: $(jstat -$option $pid | head -1 | tr -s ' ')"
done
# a column of jstat by its name
column() { # option, name
    jstat "-$1" $pid | awk -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }'
}
check() { # text, awk condition on v, value
    awk -v v="$3" "BEGIN { print \"$1\", ($2) ? \"yes\" : \"no: \" v }"
}
check "young collections" "v > 0" "$(column gc YGC)"
check "full collections" "v == 1" "$(column gc FGC)"
check "their time" "v > 0" "$(column gc GCT)"
check "eden" "v > 1000 && v < 32768" "$(column gc EC)"
check "kept in old" "v > 1200 && v < 16000" "$(column gc OU)"
check "class metadata" "v > 0" "$(column gc CCSC)"
check "classes" "v > 300" "$(column class Loaded)"
jstat -gccause $pid | tail -1 | grep -o 'System.gc() *No GC' | tr -s ' '
check "counters" "v > 80" "$(jcmd $pid PerfCounter.print | wc -l)"
jcmd $pid PerfCounter.print | grep -E '^(java.rt.vmArgs|sun.rt.javaCommand|sun.rt.jvmCapabilities|java.property.java.(home|class.path|vm.specification.*)|sun.os.hrt.frequency|sun.perfdata.(size|overflow|majorVersion))=' | sed "s|$JAVA_HOME|HOME|"
stop
test -e "$(file)" || echo "file removed"
start -XX:-UsePerfData
test -e "$(file)" || echo "no file"
stop
start -XX:+PerfDisableSharedMem
test -e "$(file)" || echo "no shared file"
stop
start -XX:+PerfDataSaveToFile -XX:PerfDataSaveFile=saved
stop
stat -c %s saved
head -c 4 saved | od -An -tx1
java -XX:+PerfDataSaveToFile -XX:PerfDataSaveFile=nodir/saved -cp . Work </dev/null 2>&1
start
kill -9 $pid
stop
java -cp . Work </dev/null
test -e "$(file)" || echo "cleaned"
start -XX:PerfDataMemorySize=65536
stat -c %s "$(file)"
stop
