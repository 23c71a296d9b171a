#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# AspectJ weaves an aspect into a program while it is loaded: calls around, before and after, fields set, an interface mixed in.
set -eu
lib=/usr/share/java
javac -g -cp $lib/aspectjrt.jar -d classes "$IN/Woven.java" "$IN/Weaving.java"
mkdir classes/META-INF
cat >classes/META-INF/aop.xml <<'TEXT'
<aspectj>
  <aspects><aspect name="Weaving"/></aspects>
  <weaver options="-showWeaveInfo"><include within="Woven*"/><include within="Weaving*"/></weaver>
</aspectj>
TEXT
set -o pipefail
java --add-opens java.base/java.lang=ALL-UNNAMED -javaagent:$lib/aspectjweaver.jar -cp classes:$lib/aspectjrt.jar Woven 2>&1 |
    sed 's/@[0-9a-f]*//'
