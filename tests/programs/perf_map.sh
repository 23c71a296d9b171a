#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -XX:+DumpPerfMapAtExit: the file that perf reads, with the code that is there at the end.
set -eu
cat >Main.java <<'TEXT'
public class Main {
    static int spin(int n) { return n < 2 ? n : spin(n - 1) + spin(n - 2); }
    public static void main(String[] args) {
        System.out.println(spin(24));
        System.out.println("/tmp/perf-" + ProcessHandle.current().pid() + ".map");
        if (args.length > 0)
            System.exit(3);
    }
}
TEXT
javac Main.java
t() {
    java -XX:+UnlockDiagnosticVMOptions -Xbatch "$@" >out || echo "exit $?"
    map=$(tail -1 out)
    if [[ -e $map ]]; then
        [[ $(grep -cvE '^0x[0-9a-f]{16} 0x[0-9a-f]+ .+' "$map") = 0 ]] && echo "each line is an address, a size and a name"
        grep -qE 'Main.*spin' "$map" && echo "spin has code"
        rm -f "$map"
    else
        echo "no map"
    fi
}
t -XX:+DumpPerfMapAtExit -cp . Main
t -XX:+DumpPerfMapAtExit -cp . Main exit
t -cp . Main
