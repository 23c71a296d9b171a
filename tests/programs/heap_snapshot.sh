#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# GC.heap_dump -snapshot: the dump is that of a stopping one; what ends it early leaves the program untouched and no process behind.
# @only pellucid
set -eu
cat >Holds.java <<'TEXT'
public class Holds {
    static final class Node {
        Node next;
        int turn;
    }
    static Node head;
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 200_000; i++) {
            Node n = new Node();
            n.next = head;
            head = n;
        }
        System.out.println("ready");
        for (int turn = 1; args.length > 0; turn++)
            for (Node n = head; n != null; n = n.next)
                n.turn = turn;
        System.in.read();
    }
}
TEXT
javac Holds.java
begin() { # whether it changes its objects: begins it as $pid
    rm -f input out.txt
    mkfifo input
    java -Xmx64m -cp . Holds "$@" <input >out.txt &
    pid=$!
    exec 3>input
    until grep -q ready out.txt; do
        sleep 0.05
    done
}
dump() {
    timeout 300 jcmd $pid GC.heap_dump "$@" | grep -v -e '^[0-9]*:$' -e '^Dumping heap' | sed -e 's/\[.*\]/[...]/' -e 's/still for .* secs/still for ... secs/'
}
children() {
    cat /proc/$pid/task/*/children | wc -w
}
differences() { # but for the time of the dump
    cmp -l "$1" "$2" | awk '$1 < 24 || $1 > 31' | wc -l
}

begin
dump -all first.hprof >warm.txt
dump -all stopped.hprof
dump -snapshot beside.hprof
echo "differences: $(differences stopped.hprof beside.hprof)"
dump -snapshot -gz=1 packed.hprof.gz
gzip -dc packed.hprof.gz >unpacked.hprof
echo "differences: $(differences stopped.hprof unpacked.hprof)"
dump -snapshot one.hprof >one.txt &
dump -snapshot two.hprof
wait $!
cat one.txt
echo "two at once: $(differences one.hprof two.hprof)"
dump -snapshot one.hprof
dump -snapshot -limit=-1 bad.hprof
dump -snapshot /nosuch/x.hprof
ln -s /dev/full full.hprof
dump -snapshot -overwrite full.hprof
echo "children: $(children)"
echo >&3
wait $pid

export LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$BUILD_TREE/tests/libnofork.so
begin
export LD_PRELOAD=${LD_PRELOAD%"$BUILD_TREE/tests/libnofork.so"}
dump -snapshot refused.hprof
ls refused.hprof 2>/dev/null || echo "no file"
echo "children: $(children)"
dump -all anyway.hprof
echo >&3
wait $pid

begin changing
dump -snapshot -limit=1 -gz=9 limited.hprof.gz
dump -snapshot -gz=9 ended.hprof.gz >ended.txt &
asking=$!
until child=$(cat /proc/$pid/task/*/children | grep .); do
    sleep 0.01
done
kill -9 "$child"
wait $asking
cat ended.txt
echo "children: $(children)"
jcmd $pid VM.uptime | grep -c ' s$'
dump -snapshot -gz=9 left.hprof.gz >left.txt 2>&1 &
asking=$!
until child=$(cat /proc/$pid/task/*/children | grep .); do
    sleep 0.01
done
kill -9 $pid
wait $pid || echo "the program ended"
wait $asking || true
for _ in $(seq 100); do
    kill -0 "$child" 2>/dev/null || break
    sleep 0.1
done
if kill -0 "$child" 2>/dev/null; then
    echo "its process goes on"
fi

cat >Asks.java <<'TEXT'
import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.File;
import java.lang.management.ManagementFactory;
public class Asks {
    public static void main(String[] args) throws Exception {
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap("bean.hprof", true);
        System.out.println(new File("bean.hprof").length() > 100_000);
        try {
            System.out.println(new byte[60][1 << 20].length);
        } catch (OutOfMemoryError e) {
            // told by the VM
        }
    }
}
TEXT
javac Asks.java
java -Xmx40m -XX:+HeapDumpSnapshot -XX:+HeapDumpOnOutOfMemoryError -cp . Asks | sed -e 's/to .*/to .../' -e 's/\[.*\]/[...]/' -e 's/still for .* secs/still for ... secs/'
