#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -XX:+JitPerfMap: the file that perf reads is there while the program runs, and after it has been killed.
# @only pellucid
set -eu
cat >Main.java <<'TEXT'
import java.nio.file.*;
public class Main {
    static int spin(int n) { return n < 2 ? n : spin(n - 1) + spin(n - 2); }
    static void look(Path map) throws Exception {
        var lines = Files.readAllLines(map);
        System.out.println("spin has code: " + lines.stream().anyMatch(l -> l.matches(".*Main.*spin.*")));
        System.out.println("stubs: " + lines.stream().anyMatch(l -> l.contains("go on in the interpreter")));
        System.out.println("lines as they should be: " + lines.stream().allMatch(l -> l.matches("0x[0-9a-f]{16} 0x[0-9a-f]{16} .+")));
    }
    public static void main(String[] args) throws Exception {
        Path map = Path.of("/tmp/perf-" + ProcessHandle.current().pid() + ".map");
        System.out.println(map);
        System.out.println(Files.exists(map));
        System.out.println(spin(24));
        if (Files.exists(map))
            look(map);
        Runtime.getRuntime().halt(0);
    }
}
TEXT
javac Main.java
t() {
    java -XX:+UnlockDiagnosticVMOptions -Xbatch "$@" -cp . Main >out
    map=$(head -1 out)
    tail -n +2 out
    if [[ -e $map ]]; then
        grep -qE 'Main.*spin' "$map" && echo "it stays"
        rm -f "$map"
    fi
}
t -XX:+JitPerfMap
t
