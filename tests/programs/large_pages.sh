#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -XX:+UseTransparentHugePages: what is large of the old generation asks for large pages; without the flag nothing of the heap does.
# @only pellucid
# @not asan its allocator asks for large pages itself
set -eu
cat >Flags.java <<'TEXT'
import java.nio.file.Files;
import java.nio.file.Path;
public class Flags {
    public static void main(String[] args) throws Exception {
        System.out.println(Files.lines(Path.of("/proc/self/smaps")).anyMatch(l -> l.startsWith("VmFlags:") && l.contains(" hg")));
    }
}
TEXT
javac Flags.java
java -Xmx512m -cp . Flags
java -Xmx512m -XX:+UseTransparentHugePages -cp . Flags
java -Xmx128m -XX:+UseTransparentHugePages -cp . Flags
