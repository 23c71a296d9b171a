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

    public static void main(String[] args) throws Exception {
        System.setOut(new java.io.PrintStream("printed")); // jdb loses some of what a program prints at its end
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

# shellcheck source=tests/programs/parts/jdb.bash
. "$PARTS/jdb.bash"
jdb_start -classpath . Loop
say 'stop in Loop.text'
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
jdb_end
cat plain printed
