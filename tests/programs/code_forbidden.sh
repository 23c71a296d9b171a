#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A system that forbids files in memory, or executable memory: with the former methods are compiled, with the latter they are interpreted, and
# the VM says so once. The filter leaves alone what the dynamic linker asks for (private mappings of files).
# @only pellucid
set -eu
cat >forbid.c <<'TEXT'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define LOAD(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
int main(int argc, char **argv)
{
    struct sock_filter files[] = {LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1), REFUSE, ALLOW};
    struct sock_filter code[] = {
        LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 3, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 5),
        LOAD(args[3]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 3),
        LOAD(args[2]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), REFUSE, ALLOW};
    int is_code = argc > 2 && strcmp(argv[1], "code") == 0;
    struct sock_fprog all = {is_code ? sizeof code / sizeof *code : sizeof files / sizeof *files, is_code ? code : files};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) != 0) {
        perror("seccomp");
        return 1;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 1;
}
TEXT
gcc -o forbid forbid.c
cat >Main.java <<'TEXT'
public class Main {
    static int spin(int n) { return n < 2 ? n : spin(n - 1) + spin(n - 2); }
    public static void main(String[] args) throws Exception {
        System.out.println(spin(24));
        System.out.println(System.getProperty("java.vm.info").startsWith("mixed mode") ? "compiled" : "interpreted");
        System.out.println(System.nanoTime() > 0 && "abc".hashCode() == 96354); // native methods, intrinsics
    }
}
TEXT
javac Main.java
for what in files code; do
    echo "no $what:"
    ./forbid $what java -Xbatch -cp . Main 2>&1
done
echo "no code, nor wanted:"
./forbid code java -Xint -cp . Main 2>&1
