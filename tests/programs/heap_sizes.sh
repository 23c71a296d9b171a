#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How large the heap is by the memory of the machine and by options; processors by option.
set -eu
cat >Sizes.java <<'TEXT'
public class Sizes {
    public static void main(String[] args) {
        Runtime r = Runtime.getRuntime();
        byte[] kept = new byte[3 << 20];
        long total = r.totalMemory(), free = r.freeMemory(), max = r.maxMemory();
        System.out.println(r.availableProcessors() + " " + (free > 0 && free + kept.length <= total && total <= max));
    }
}
TEXT
"$JAVA_HOME/bin/javac" -d . Sizes.java
while read -r options; do
    echo "$options"
    # shellcheck disable=SC2086 # words
    java -XX:+UseSerialGC $options -XX:+PrintFlagsFinal -version 2>/dev/null | awk '$2 ~ /^(Max|Initial)HeapSize$/ { print $2, $4 }'
done <<'TEXT'

-XX:MaxRAMPercentage=50
-XX:MaxRAM=1g
-XX:MaxRAM=300m
-XX:MaxRAM=200m
-XX:MaxRAM=0
-XX:MaxRAM=3m
-XX:MaxRAM=4m
-XX:MaxRAM=7m
-XX:MaxRAM=20m
-XX:MaxRAM=200m -XX:MinRAMPercentage=25
-XX:MaxRAM=300m -XX:MinRAMPercentage=60 -XX:MaxRAMPercentage=20
-XX:InitialRAMPercentage=10
-Xmx100m
-Xms20m
-Xms100m -XX:MaxRAM=200m
-XX:MaxRAMFraction=2
-XX:MaxRAM=100m -XX:MinRAMFraction=4
-XX:InitialRAMFraction=8
-XX:MaxRAMFraction=2 -XX:MaxRAMPercentage=30
-XX:-UseContainerSupport
TEXT
java -cp . -Xmx64m -XX:ActiveProcessorCount=3 Sizes
java -cp . -Xms16m -Xmx64m Sizes
