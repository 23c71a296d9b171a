#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Before a snapshot of a large heap its pages are gathered into large ones, so that its process is made in a short stop; a small heap's are not.
# Where the system gathers none (Linux before 6.1) that is all the same.
# @only pellucid
# @not asan its heap lies elsewhere
set -eu
cat >Holds.java <<'TEXT'
public class Holds {
    public static void main(String[] args) throws Exception {
        int[][] held = new int[Integer.parseInt(args[0])][];
        for (int i = 0; i < held.length; i++) {
            held[i] = new int[1 << 14];
            held[i][i] = i;
        }
        System.out.println("ready");
        System.in.read();
        System.out.println(held[7][7]);
    }
}
TEXT
javac Holds.java
cat >gathers.py <<'TEXT'
import ctypes, mmap
libc = ctypes.CDLL(None, use_errno=True)
large = 2 << 20
m = mmap.mmap(-1, 2 * large)
m[:] = bytes(2 * large)
at = (ctypes.addressof(ctypes.c_char.from_buffer(m)) + large - 1) // large * large
print("yes" if libc.madvise(ctypes.c_void_p(at), ctypes.c_size_t(large), 25) == 0 else "no")
TEXT
gathers=$(python3 gathers.py)
large() { # pages of the process, in MB
    awk '/^AnonHugePages/ { kb += $2 } END { print int(kb / 1024) }' "/proc/$1/smaps"
}
for mb in 32 400; do
    rm -f input out.txt
    mkfifo input
    java -Xmx600m -Xmn32m -cp . Holds $((mb * 16)) <input >out.txt &
    pid=$!
    exec 3>input
    until grep -q ready out.txt; do
        sleep 0.05
    done
    before=$(large $pid)
    jcmd $pid GC.heap_dump -snapshot held.hprof >/dev/null
    more=$(($(large $pid) - before))
    if [[ $gathers == no || $before -gt 100 ]]; then # none, or all pages are large anyway
        more=$((mb < 256 ? 0 : mb))
    fi
    echo "$mb MB: $((more > 200 ? 1 : 0))"
    rm held.hprof
    echo >&3
    wait $pid
    tail -1 out.txt
done
