#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# javap and jdeps read class files of every kind.
set -eu
javap -p -c -v java.lang.Runnable java.util.function.Function java.lang.Enum | grep -v 'Last modified\|jar:\|Classfile'
javap -p -c java.util.HashMap | sha256sum
jdeps --print-module-deps "$JAVA_HOME/lib/jrt-fs.jar"
