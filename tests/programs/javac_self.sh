#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# javac compiles the Java sources of the project, a folder at a time; the class files are the same byte for byte.
# @timeout 300
set -eu
find "$ROOT" \( -name build -o -name field -o -name soak \) -prune -o -name '*.java' -printf '%h\n' | sort -u |
    while read -r folder; do
        mkdir -p out
        javac -nowarn -Xlint:none -encoding UTF-8 -d out "$folder"/*.java || echo "${folder#"$ROOT/"}: javac exits with $?"
        echo "${folder#"$ROOT/"}"
        (cd out && find . -name '*.class' -print0 | sort -z | xargs -0 -r sha256sum)
        rm -rf out
    done
