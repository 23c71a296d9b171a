#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A code cache without room, and a system that forbids memory for code: the VM says so once and interprets.
# @only pellucid
# @timeout 120
# @not asan the sanitizer wants to be the first library
# @not jit-* its own flags say what is compiled
# @not compiled likewise
set -eu
cat >Main.java <<'TEXT'
import java.util.Map;
import java.util.TreeMap;

public class Main {
    interface Shape { int area(int n); }
    static int digits(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += Integer.toString(i).hashCode();
        return sum;
    }
    static double mixed(int a, double b, long c, float d, Object e) { return a + b + c + d + e.hashCode() % 3; }
    public static void main(String[] args) {
        long sum = 0;
        Shape[] shapes = {n -> n + 1, n -> n * 2, n -> -n};
        Map<String, Integer> map = new TreeMap<>();
        for (int i = 0; i < 5000; i++) {
            sum += digits(i % 20) + (long) mixed(i, i, i, i, i) + shapes[i % 3].area(i);
            map.merge("k" + i % 77, i, Integer::sum);
        }
        System.out.println(sum + " " + map.hashCode());
    }
}
TEXT
javac Main.java
flags=(-XX:+UnlockDiagnosticVMOptions -XX:+JitSync)
run() {
    java "${flags[@]}" "$@" -cp . Main 2>&1
}
expected=$(java -Xint -cp . Main)
for size in 4k 12k 20k 28k 40k 64k 100k 200k; do
    for mode in JitCompile JitAll; do
        run -XX:+$mode -XX:InitialCodeCacheSize=$size -XX:ReservedCodeCacheSize=$size >out
        grep -v 'VM warning' out | grep -qxF -- "$expected" || { echo "$size $mode"; cat out; }
        [[ $(grep -c 'CodeCache is full' out) -le 1 && $(wc -l <out) -le 3 ]] || { echo "$size $mode"; cat out; }
    done
done
echo "-- 4 KB"
run -XX:+JitAll -XX:InitialCodeCacheSize=4k -XX:ReservedCodeCacheSize=4k | grep warning
cat >forbid.c <<'TEXT'
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int memfd_create(const char *name, unsigned flags)
{
    (void)name, (void)flags;
    errno = EPERM;
    return -1;
}
#ifdef NO_CODE
int mprotect(void *at, size_t size, int rights)
{
    if (!(rights & PROT_EXEC))
        return (int)syscall(SYS_mprotect, at, size, rights);
    errno = EACCES;
    return -1;
}
#endif
TEXT
gcc -shared -fPIC -o no_file.so forbid.c
gcc -shared -fPIC -DNO_CODE -o no_code.so forbid.c
forbidden() {
    echo "-- $1"
    LD_PRELOAD=$PWD/$1 java "${flags[@]}" -XX:+JitAll -cp . Main 2>&1 | sed "s/^$expected\$/as expected/"
}
forbidden no_file.so
forbidden no_code.so
