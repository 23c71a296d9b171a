#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What other processes see of the compiler: jstat, jcmd. Here it is behind a flag of its own, which HotSpot is told to ignore.
# @timeout 120
# @not jit-* its own flags say what is compiled
# @not compiled likewise
set -eu
cat >Work.java <<'TEXT'
public class Work {
    static int hot(int n) { return n * 31; }
    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int i = 0; i < 20000; i++)
            sum += hot(i);
        System.out.println("ready " + sum);
        System.in.read();
    }
}
TEXT
javac Work.java
start() {
    : >out.txt
    mkfifo in
    java -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions "$@" -cp . Work <in >out.txt 2>&1 &
    pid=$!
    exec 3>in
    for _ in $(seq 600); do
        if grep -q ready out.txt; then
            break
        fi
        sleep 0.05
    done
    sleep 0.5 # figures are sampled, the queue runs empty
}
stop() {
    exec 3>&-
    rm in
    wait $pid || echo "exit code $?"
}
figures() {
    echo "-- $*"
    start "$@"
    # what is refused was asked for, too
    jstat -compiler $pid | awk 'NR == 1 { print $1, $2, $3, $4, $5, $6 } NR == 2 { print ($1 + $2 > 0) " " $3 " " ($4 >= 0) " " $5 }'
    jstat -printcompilation $pid | awk 'NR == 1 { print $1, $2, $3, $4 } NR == 2 { print (($1 > 0) == (NF > 3)) }'
    for name in 'java.ci.totalTime=[1-9]' 'java.ci.totalTime=0' sun.ci.lastFailedMethod sun.ci.lastFailedType sun.ci.lastMethod sun.ci.lastSize sun.ci.lastType \
        sun.ci.totalBailouts sun.ci.totalCompiles sun.ci.totalInvalidates=0; do
        echo "$name $(jcmd $pid PerfCounter.print | grep -c "^$name")"
    done
    jcmd $pid Compiler.codecache >codecache
    grep -oE "^ compilation: .*" codecache
    grep -cE "size=[0-9]+Kb used=[0-9]+Kb max_used=[0-9]+Kb free=[0-9]+Kb" codecache | sed 's/[1-9]/some/'
    grep -cE "^ bounds \[0x[0-9a-f]{16}, 0x[0-9a-f]{16}, 0x[0-9a-f]{16}\]" codecache | sed 's/[1-9]/some/'
    jcmd $pid Compiler.queue | grep -E 'Current compiles|Work'
    rm -f /tmp/perf-$pid.map
    jcmd $pid Compiler.perfmap | tail -n +2
    grep -qE '^0x[0-9a-f]{16} 0x[0-9a-f]{16} .+' /tmp/perf-$pid.map && echo "has code"
    rm /tmp/perf-$pid.map
    stop
}
figures -XX:+JitCompile
figures -Xint
