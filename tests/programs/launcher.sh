#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The launcher's ways: a source file, an argument file, options from the environment, errors of the command line.
# @mask \d+\.\d+\.\d+\S*
# @not jit-all what options there are, or what they make the compiler do, is looked at
set -eu
cat >Say.java <<'TEXT'
public class Say {
    public static void main(String[] args) {
        System.out.println(String.join(",", args) + " " + System.getProperty("say") + " " + System.getProperty("more"));
        assert args.length == 0 : "assertions are on";
    }
}
TEXT
java Say.java one two
javac Say.java
printf '%s\n' '-Dsay="with blanks"' '-cp .' >options
java @options Say x
JDK_JAVA_OPTIONS="-Dsay=jdk" java Say y 2>&1
JAVA_TOOL_OPTIONS="-Dmore=tool" java -Dsay=line Say z 2>&1
java -ea Say 1 2>&1 || echo "exit code $?"
java -ea:Other... -da:Say Say 1
java Nowhere 2>&1 || echo "exit code $?"
java -jar nowhere.jar 2>&1 || echo "exit code $?"
java -XX:+NoSuchFlag Say 2>&1 | head -n 1
java -Xmx12q Say 2>&1 | head -n 1
java -cp . -XX:+UseSerialGC -XX:ReservedCodeCacheSize=64m -XX:-UseCompressedOops Say fine
java -version 2>&1 | head -n 2
