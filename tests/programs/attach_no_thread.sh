#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Attaching at the moment when no thread can be started fails, and works when one can be started again. The file creation mask of the
# process is left alone. HotSpot ends the process when its listener cannot be started.
# @only pellucid
set -eu
cat >Waits.java <<'TEXT'
public class Waits {
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        System.in.read();
        System.out.println("end");
    }
}
TEXT
javac Waits.java
mkfifo input
NO_THREADS=$PWD/stop LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$BUILD_TREE/tests/libnothreads.so java -cp . Waits <input >out.txt 2>err.txt &
pid=$!
exec 3>input
until grep -q ready out.txt; do
    sleep 0.05
done
touch stop .attach_pid$pid
kill -QUIT $pid
until grep -q '^Exception in Signal' err.txt; do
    sleep 0.05
done
rm .attach_pid$pid
if [ -e /tmp/.java_pid$pid ] || [ -e /tmp/.java_pid$pid.tmp ]; then
    echo "a socket that nobody serves"
fi
rm stop
timeout 30 jcmd $pid VM.version | sed -n 's/ 64-Bit.*//; 2p'
touch stop # what runs needs no thread
timeout 30 jcmd $pid VM.command_line | grep java_command
rm stop
echo >&3
wait $pid
grep -v warning out.txt
grep -E '^Exception|umask' err.txt
