#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jdb: a class is redefined while a thread stands in it; frames popped, a method entered again.
# @timeout 120
set -eu
mkdir new
cat >Loop.java <<'TEXT'
public class Loop {
    static int rounds;

    static String text(int n) {
        String s = "old " + n;
        rounds++;
        return s;
    }

    static String outer(int n) {
        return "<" + text(n) + ">";
    }

    public static void main(String[] args) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 4; i++)
            all.append(outer(i)).append(' ');
        System.out.println(all + "rounds " + rounds);
    }
}
TEXT
javac -g Loop.java
sed -e 's/old /new /' -e 's/rounds++/rounds += 10/' Loop.java >new/Loop.java
javac -g -d new new/Loop.java
sed -e 's/static int rounds/static int rounds, more/' Loop.java >Loop2.java
mkdir bad
mv Loop2.java bad/Loop.java
javac -g -d bad bad/Loop.java

mkfifo commands
jdb -J-Duser.home="$PWD" -classpath . Loop <commands >output 2>&1 &
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
echo 'stop in Loop.text' >&3
say 'run'
say 'where'
say 'redefine Loop bad/Loop.class'
say 'redefine Loop new/Loop.class'
say 'where'
say 'locals'
say 'pop'
say 'where'
say 'stop at Loop:6'
say 'cont'
say 'where'
say 'reenter'
say 'where'
say 'print Loop.rounds'
say 'clear Loop:6'
echo 'cont' >&3
wait
exec 3>&-
sed -E -e 's/^((main\[[0-9]+\]|>) ?)+//' -e 's/id=[0-9]+/id=#/' output
