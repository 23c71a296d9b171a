#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Requests at the attach socket as no client of the JDK sends them: blank lines, several commands. On this VM also as many clients as
# it serves at a time that send a byte now and then and never a whole request: they do not keep others out for longer than its patience.
# A command that takes longer than that keeps those waiting that came behind it, and loses none.
set -eu
cat >Waits.java <<'TEXT'
public class Waits {
    protected void finalize() throws InterruptedException {
        Thread.sleep(12_500);
    }
    static void make() {
        for (int i = 0; i < 2; i++) // one for the Finalizer, one for who runs what is left
            new Waits();
    }
    public static void main(String[] args) throws Exception {
        make();
        byte[][] clears = new byte[64][];
        System.gc();
        System.out.println("ready");
        System.in.read();
    }
}
TEXT
javac Waits.java
mkfifo input
java -XX:+StartAttachListener -cp . Waits <input >out.txt &
pid=$!
exec 3>input
until grep -q ready out.txt && [ -S /tmp/.java_pid$pid ]; do
    sleep 0.05
done
cat >client.py <<'TEXT'
import re
import socket
import sys
import threading
import time

def connect():
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    return s

def ask(text):
    s = connect()
    s.sendall(b'1\0jcmd\0' + text.encode() + b'\0\0\0')
    s.settimeout(60)
    parts = []
    while part := s.recv(4096):
        parts.append(part)
    return re.sub(r'[\d.]+ s', '# s', b''.join(parts).decode())

def behind():
    time.sleep(0.5)
    if not ask('VM.uptime').startswith('0\n'):
        print('not served behind a long command')

def drip(s):
    try:
        for byte in b'1\0jcmd\0' + b'x' * 1000:
            s.sendall(bytes([byte]))
            time.sleep(1)
    except OSError:
        pass

for text in ('', '   ', '\n', ' \n', '\t', '# VM.uptime', 'stop', 'nothing', 'VM.uptime\nVM.uptime', '\nVM.uptime', 'VM.uptime\n  \nVM.uptime'):
    print(repr(text), repr(ask(text)))
waiting = [threading.Thread(target=behind) for i in range(3)]
for t in waiting:
    t.start()
print(ask('GC.run_finalization'))
for t in waiting:
    t.join()
if sys.argv[2] == 'drip':
    for i in range(64):
        threading.Thread(target=drip, args=(connect(),), daemon=True).start()
    if not ask('VM.uptime').startswith('0\n'):
        print('not served beside clients that drip')
TEXT
python3 client.py /tmp/.java_pid$pid "$([ "$JAVA_HOME" = "$PEER_HOME" ] && echo none || echo drip)"
echo >&3
wait $pid
