#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jdb with -XX:+AllowEnhancedClassRedefinition: a class gets fields and methods while a thread stands in it, which an object that lives has then.
# @only pellucid
# @timeout 120
set -eu
mkdir new
cat >Loop.java <<'TEXT'
public class Loop {
    int rounds = 1;

    String text(int n) {
        rounds++;
        return "old " + n;
    }

    public static void main(String[] args) throws Exception {
        System.setOut(new java.io.PrintStream("printed")); // jdb loses some of what a program prints at its end
        Loop loop = new Loop();
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 4; i++)
            all.append(loop.text(i)).append(' ');
        System.out.println(all + "rounds " + loop.rounds);
    }
}
TEXT
javac -g Loop.java
sed -e 's/    int rounds = 1;/    long before = 7; static final String WORD = "word"; int rounds = 1; String more;/' -e 's/"old " + n/more()/' \
    -e 's/^    String text/    String more() { return WORD + rounds + before + (more = more + "x"); }\n&/' Loop.java >new/Loop.java
javac -g -d new new/Loop.java

# shellcheck source=tests/programs/parts/jdb.bash
. "$PARTS/jdb.bash"
jdb_start -XX:+AllowEnhancedClassRedefinition -classpath . Loop
say 'stop in Loop.text'
say 'run'
say 'cont'
say 'print this.rounds'
say 'redefine Loop new/Loop.class'
say 'where'
say 'fields Loop'
say 'stop in Loop.more'
say 'cont'
say 'where'
say 'print this.before'
say 'print this.more'
say 'print Loop.WORD'
say 'set this.before = 8'
say 'clear Loop.more'
jdb_end
cat plain printed
