#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What flags make of a crash: commands, the file of the report, the core dump, the exit code; and
# -XX:+CrashOnOutOfMemoryError. The reports themselves are the VM's own.
# @timeout 120
# @not asan signals of faults are left to the sanitizer
set -u
cat >Crash.java <<'TEXT'
public class Crash {
    public static void main(String[] args) throws Exception {
        var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        if (args.length > 0) {
            System.out.println(new long[Integer.MAX_VALUE - 1].length);
        }
        ((sun.misc.Unsafe) field.get(null)).putInt(8L, 1);
    }
}
TEXT
"$JAVA_HOME/bin/javac" -nowarn -d . Crash.java 2>&1 | grep -c error
# The lines that both VMs have, and the names of the files that are left.
run() {
    echo "== $*"
    { java -Xmx32m -cp . "$@" 2>&1; echo "exit $?"; } 2>&1 |
        grep -aE '^(exit|out:|Aborting due|# *-XX:|#   Executing|# (No core|Core) dump|# CreateCoredump)' | sed -E 's/[0-9]{3,}/N/g' | uniq
    for file in *; do
        case $file in
        Crash.*) continue ;;
        hs_err_pid*.log | pellucid_err_pid*.log) echo "a report of its own name" ;;
        *) echo "${file//[0-9]/N}" | sed -E 's/N+/N/' ;;
        esac
        grep -qa '^#.*SIGSEGV' "$file" && echo 'tells of SIGSEGV'
        rm "$file"
    done
}
ulimit -c 0
run Crash
run -XX:OnError='echo out: one %p %%;;  echo out: two; exit 3' Crash
run -XX:-CreateCoredumpOnCrash -XX:OnError='echo out: %' Crash
run -XX:ErrorFile=there%p.txt Crash
run -XX:ErrorFile=absent/folder.txt -XX:OnError= Crash
run -XX:+ErrorFileToStdout Crash
run -XX:+ErrorFileToStderr Crash
run -XX:+CrashOnOutOfMemoryError -XX:-CreateCoredumpOnCrash Crash oom
echo "== in a folder that cannot be written"
here=$PWD
(cd /proc && java -Xmx32m -cp "$here" Crash 2>&1) | grep -aoE '/tmp/[a-z]+_err_pid[0-9]+.log' >name
grep -ac '^#.*SIGSEGV' "$(cat name)"
rm "$(cat name)" name
