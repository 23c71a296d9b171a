#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A start with an image of the class library that is damaged ends in order.
# @only pellucid
# @timeout 300
set -eu
jlink --add-modules java.base --output small --strip-debug
rm -f small/lib/server/classes*.jsa
cp "$JAVA_HOME/lib/server/libjvm.so" small/lib/server/
image=small/lib/modules
mv $image whole
start() {
    echo "== $1"
    env -u JAVA_HOME small/bin/java -version 2>&1 | sed 's/ ["(].*//; 3q' || true
    rm -rf $image
}
word() { # number of the header's word, value
    cp whole $image
    printf '%b' "$2" | LD_PRELOAD='' dd of=$image bs=1 seek=$((4 * $1)) conv=notrunc status=none
}
cut() {
    head -c "$1" whole >$image
}
cp whole $image && start whole
word 0 '\0' && start magic
word 1 '\5' && start version
word 4 '\0\0\0\0' && start "no table"
word 4 '\377\377\377\377' && start "a table longer than the file"
word 6 '\0\0\0\0' && start "no strings"
cut 0 && start empty
cut 20 && start "half a header"
cut 20000 && start "half the tables"
cut 3000000 && start "half the resources"
mkdir $image && start "a folder"
start none
