#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -Xrun: where a library is looked for, what it is started with, what fails, several at once (statements 1-8, 10, 11, 14, 177 of
# JVMPI's check list).
# @only pellucid
# @quick
set -u
cat > Main.java <<'END'
public class Main {
    public static void main(String[] args) {
        System.out.println("main");
    }
}
END
"$PEER_HOME/bin/javac" Main.java

run() {
    echo "-- $*"
    java "$@" -cp . Main 2>&1
    echo "exit code $?"
}

mkdir path
cp "$BUILD_TREE/tests/libpi_start.so" path/libone.so
export LD_LIBRARY_PATH=$PWD/path
run -Xrunone
run -Xrunone:a=b,net=host:1234
run -Xrunone:fail
run -Xrunone:exit
run -Xrunone:late
run -Xrunone:spoil
run -Xrunnothing 2>&1 | sed "s/, with error.*//"

echo "== a JVM TI agent"
cp "$BUILD_TREE/tests/libti_all.so" path/libti.so
cp "$BUILD_TREE/tests/libjnicalls.so" path/libneither.so
run -Xrunti:named | sed 's,^named: .*,named: is there,'
run -Xrunneither

echo "== several, each told what it wants"
cp path/libone.so path/libtwo.so
run -Xrunone:none -Xruntwo:more -Xrunone:none
many=()
for i in $(seq 9); do
    cp path/libone.so "path/libmany$i.so"
    many+=("-Xrunmany$i:none")
done
run "${many[@]}"

echo "== the image's library before the system's"
cp -a "$JAVA_HOME" image
cp path/libone.so image/lib/libboth.so
cp path/libone.so path/libboth.so
PATH=$PWD/image/bin:$PATH run -Xrunboth
rm image/lib/libboth.so
PATH=$PWD/image/bin:$PATH run -Xrunboth
