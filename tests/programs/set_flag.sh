#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Flags that tools change in a running VM: values, ranges, limits that depend on other flags. A number is read as far as it is one:
# "1g" is 1.
# @timeout 600
# @not jit-all what options there are, or what they make the compiler do, is looked at
set -eu
cat >Wait.java <<'TEXT'
public class Wait {
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        System.in.read();
    }
}
TEXT
javac Wait.java
mkfifo stop
java -Xmx64m -cp . Wait <stop >out &
pid=$!
exec 3>stop
while ! grep -q ready out; do
    sleep 0.1
done
set_flag() {
    echo "\$ $*"
    jcmd $pid VM.set_flag "$@" 2>&1 | sed 1d
    echo "  $(jinfo -flag "$1" $pid)"
}
set_flag MinHeapFreeRatio
set_flag NoSuchFlag
set_flag MinHeapFreeRatio 80
set_flag MinHeapFreeRatio 101
set_flag MinHeapFreeRatio -1
set_flag MinHeapFreeRatio x
set_flag MinHeapFreeRatio 99999999999999999999
set_flag MaxHeapFreeRatio 30
set_flag MaxHeapFreeRatio 90
set_flag MinHeapFreeRatio 80
set_flag MaxHeapFreeRatio 70
set_flag HeapDumpGzipLevel 10
set_flag HeapDumpGzipLevel -1
set_flag HeapDumpGzipLevel 99999999999999999999
set_flag HeapDumpGzipLevel 3
set_flag G1PeriodicGCInterval 10
set_flag G1PeriodicGCSystemLoadThreshold x
set_flag G1PeriodicGCSystemLoadThreshold 1.5
set_flag SoftMaxHeapSize 100000000000000
set_flag SoftMaxHeapSize 33554432
set_flag PrintConcurrentLocks 2
set_flag PrintConcurrentLocks 1
set_flag PrintClassHistogram false
set_flag HeapDumpPath
set_flag HeapDumpPath /tmp/x
set_flag ShowCodeDetailsInExceptionMessages 0
set_flag UseSerialGC 1 2>/dev/null | head -2
set_flag ThreadStackSize 5
set_flag SoftMaxHeapSize 1g
set_flag SoftMaxHeapSize 33554432x
set_flag SoftMaxHeapSize -1
set_flag MinHeapFreeRatio 10%
set_flag MinHeapFreeRatio 20.5
set_flag MinHeapFreeRatio 0x10
set_flag MinHeapFreeRatio +7g
set_flag MinHeapFreeRatio -5g
set_flag MinHeapFreeRatio 99999999999999999999z
set_flag HeapDumpGzipLevel 1e1
set_flag HeapDumpGzipLevel -1g
set_flag HeapDumpGzipLevel 4294967299
set_flag G1PeriodicGCSystemLoadThreshold 2g
set_flag G1PeriodicGCSystemLoadThreshold nan
set_flag G1PeriodicGCSystemLoadThreshold 1e1
set_flag PrintConcurrentLocks TRUE
set_flag PrintConcurrentLocks falsex
set_flag PrintConcurrentLocks tru
for flag in TraceBytecodes NoSuchFlag UseTLAB ShowHiddenFrames UseEpsilonGC; do
    set_flag $flag 1
done
jinfo -flag MinHeapFreeRatio=95 $pid 2>&1 | head -1
jinfo -flag MinHeapFreeRatio=101 $pid 2>&1 | head -1
jinfo -flag +PrintConcurrentLocks $pid
jinfo -flag PrintConcurrentLocks $pid
echo >&3
wait $pid
