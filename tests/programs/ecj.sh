#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Eclipse compiler does the same as javac_self: an independent program, another style of class file.
# What needs the libraries of packages (field, soak) is left out.
# @timeout 300
set -eu
compiler=
for jar in ecj eclipse-ecj eclipse-jdt-core; do
    compiler=$compiler:/usr/share/java/$jar.jar
done
find "$ROOT" \( -name build -o -name field -o -name soak \) -prune -o -name '*.java' -printf '%h\n' | sort -u | while read -r folder; do
    java -cp "${compiler#:}" org.eclipse.jdt.internal.compiler.batch.Main \
        -17 -nowarn -proc:none -encoding UTF-8 -d out "$folder" || echo "$folder: ecj exits with $?"
    echo "$folder"
    (cd out && find . -name '*.class' -print0 | sort -z | xargs -0 -r sha256sum)
    rm -rf out
done
