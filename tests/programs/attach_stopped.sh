#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A process that is stopped (SIGSTOP) when a client comes serves it when it goes on; another user is not served, even if the socket were open.
set -eu
cat >Waits.java <<'TEXT'
public class Waits {
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        System.in.read();
    }
}
TEXT
javac Waits.java
mkfifo input
java -cp . Waits <input >out.txt &
pid=$!
exec 3>input
until grep -q ready out.txt; do
    sleep 0.05
done
client() {
    timeout 60 jcmd $pid VM.command_line | grep java_command
}
for _ in 1 2; do # the listener is to be started, then it runs
    kill -STOP $pid
    client &
    asking=$!
    sleep 1
    kill -CONT $pid
    wait $asking
done
if [ "$(id -u)" = 0 ]; then
    chmod 777 /tmp/.java_pid$pid
    setpriv --reuid=65534 --regid=65534 --clear-groups python3 - /tmp/.java_pid$pid >other.txt 2>&1 <<'TEXT' || true
import socket
import sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b'1\0jcmd\0VM.version\0\0\0')
print('answer', s.recv(100))
TEXT
    if grep answer other.txt; then
        echo "another user is served"
    fi
    chmod 600 /tmp/.java_pid$pid # else no client trusts it
fi
client
echo >&3
wait $pid
