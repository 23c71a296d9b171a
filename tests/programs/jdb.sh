#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jdb: breakpoints, stack, locals, expressions, steps, a changed variable, exceptions caught.
# @timeout 120
set -eu
cat >Demo.java <<'TEXT'
public class Demo {
    static int total;
    final String name = "demo";

    int add(int a, long b) {
        int sum = a + (int) b;
        total += sum;
        return sum;
    }

    static void fail() {
        throw new IllegalStateException("failed");
    }

    public static void main(String[] args) {
        Demo demo = new Demo();
        String text = "hello";
        for (int i = 0; i < 3; i++) {
            int r = demo.add(i, 10);
            demo.total += text.length() * r; // nothing printed: it would fall between the prompts
        }
        try {
            fail();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(total);
    }
}
TEXT
javac -g Demo.java

# Each command given to the stopped program ends in one more prompt "main[1] ", at once or at the next stop: the next one waits for that.
mkfifo commands
jdb -J-Duser.home="$PWD" -classpath . Demo <commands >output 2>&1 &
exec 3>commands
prompts=0
await() { # text, how often
    local tries=0
    until [[ $(grep -oF -- "$1" output | wc -l) -ge $2 ]]; do
        sleep 0.1
        tries=$((tries + 1))
        if ((tries > 300)); then
            echo "jdb stands still:"
            cat output
            exit 1
        fi
    done
}
say() {
    echo "$1" >&3
    prompts=$((prompts + 1))
    await 'main[1] ' "$prompts"
}
await 'Initializing jdb' 1
echo 'stop in Demo.add' >&3
echo 'catch java.lang.IllegalStateException' >&3
say 'run'
say 'where'
say 'locals'
say 'print a + b'
say 'print this.name.length()'
say 'step'
say 'set sum = 100'
say 'step up'
say 'next'
say 'next'
say 'dump demo'
say 'clear Demo.add'
say 'cont'
say 'where'
echo 'cont' >&3
wait
exec 3>&-
# What jdb says, and what the program says, whose lines fall between jdb's as they come.
sed -E -e 's/^((main\[[0-9]+\]|>) ?)+//' -e 's/id=[0-9]+/id=#/' output >plain
grep -E '^(Breakpoint hit|Step completed|Exception occurred|The application)|^ *\[[0-9]+\]|^[0-9]+ +[^ ]|^[a-z .()+]+ = |^ *name: ' plain
grep -E '^(hello|failed|[0-9]+$)' plain
